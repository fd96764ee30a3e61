import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { databaseOf, type Topology } from '../../plan/topology';
import type { Owner } from '../target';

/** What a database was made with, and is of no use without. */
const sealSchema = z.strictObject({
  encryptionKey: z.string(),
  owner: z.strictObject({ email: z.string(), password: z.string() }),
  /** Password of the database role n8n. */
  postgresqlPassword: z.string(),
});
export type Seal = z.infer<typeof sealSchema>;

/** Letters and digits alone need no quotes anywhere. */
export const newPassword = (): string => randomBytes(24).toString('hex');

export const newSeal = (): Seal => ({
  encryptionKey: newPassword(),
  // n8n wants a capital.
  owner: { email: 'owner@example.com', password: `N${newPassword()}` } satisfies Owner,
  postgresqlPassword: newPassword(),
});

const fileIn = (data: string): string => join(data, 'n8n-tuned.json');

/** Into a database that is put aside. No link is followed. */
export function writeSeal(data: string, seal: Seal): void {
  writeFileSync(fileIn(data), JSON.stringify(seal), { flag: 'wx', mode: 0o600 });
}

/** Out of a database before anything runs on it. */
export function takeSeal(data: string): Seal {
  const file = fileIn(data);
  const seal = sealSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  rmSync(file);
  return seal;
}

/** What each process of n8n has to know. */
export function secretEnv(topology: Topology, seal: Seal, redisPassword: string) {
  return {
    N8N_ENCRYPTION_KEY: seal.encryptionKey,
    ...(databaseOf(topology) === 'postgresql'
      ? { DB_POSTGRESDB_PASSWORD: seal.postgresqlPassword }
      : {}),
    ...(topology.mode === 'queue' ? { QUEUE_BULL_REDIS_PASSWORD: redisPassword } : {}),
  };
}
