/** The target `server`: any command that listens, and what it may use. */
import { z } from 'zod';

/** What may be said of it. */
export const serverSchema = z.strictObject({
  name: z.string().optional(),
  /** For the shell. */
  command: z.string().min(1),
  /** The address at which the server listens. */
  url: z.string(),
  /** CPU limit of the command and all its children together; unlimited if left out. */
  cpuMillicores: z.int().positive().optional(),
  memoryMiB: z.int().positive().optional(),
  env: z.record(z.string(), z.string()).default({}),
});

export type Server = z.infer<typeof serverSchema>;
