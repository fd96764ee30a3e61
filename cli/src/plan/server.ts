/** The target `server`: any command that listens, and what it may use. */
import { z } from 'zod';

/** What may be said of it. */
export const serverSchema = z.strictObject({
  name: z.string().optional(),
  /** For the shell. */
  command: z.string().min(1),
  /** Where it listens. */
  url: z.string(),
  /** Of the command and all its children together; a missing limit means: not limited. */
  cpuMillicores: z.int().positive().optional(),
  memoryMiB: z.int().positive().optional(),
  env: z.record(z.string(), z.string()).default({}),
});

export type Server = z.infer<typeof serverSchema>;
