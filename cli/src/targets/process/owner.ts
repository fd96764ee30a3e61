import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PLAIN } from '../../linux/own-user';
import type { Owner } from '../target';
import type { Database } from './database';
import type { RunUser } from './run-user';
import type { Tools } from './tools';

const run = promisify(execFile);

/** Hashes a password as n8n does: https://github.com/n8n-io/n8n, password.utility.ts. */
const HASH = `
const bcrypt = require('node:module').createRequire(process.argv[1])('bcryptjs');
process.stdout.write(bcrypt.hashSync(process.env.PASSWORD, 10));
`;

/**
 * Makes the one user of a new database its owner, as n8n's own form does, before any n8n listens: until then the
 * first caller becomes the owner. The columns are the same from 0.221 to 2.41.
 */
export async function makeOwner(
  { email, password }: Owner,
  database: Database,
  { node, n8n }: Pick<Tools, 'node' | 'n8n'>,
  user: RunUser,
): Promise<void> {
  const [program, ...args] = user.as([node, '-e', HASH, n8n]);
  const env = { ...PLAIN.env, PASSWORD: password };
  const { stdout: hash } = await run(program, args, { ...PLAIN, env });
  await database.query(
    `UPDATE "user" SET email = '${email}', "firstName" = 'Owner', "lastName" = 'Example', password = '${hash}'`,
  );
  await database.query(
    `UPDATE settings SET value = 'true' WHERE key = 'userManagement.isInstanceOwnerSetUp'`,
  );
}
