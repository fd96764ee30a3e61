import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PLAIN } from '../../linux/own-user';
import type { RunUser } from './run-user';

const run = promisify(execFile);

const PACKAGES = join('.n8n', 'nodes', 'node_modules');

/** Homes, an empty word, packages. */
const COPY = `
homes=
while [ -n "$1" ]; do mkdir -p "$1"; homes="$homes
$1"; shift; done
shift
IFS='
'
for home in $homes; do cp -r "$@" "$home"; done
`;

/**
 * Puts our built packages of nodes where n8n of any version finds a package by itself: there its nodes carry the
 * package's name, as the workflows call them. Through N8N_CUSTOM_EXTENSIONS they would be CUSTOM.*. The user of these
 * folders copies: links in them lead nobody else astray.
 */
export async function installNodes(
  built: string,
  homes: readonly string[],
  user: RunUser,
): Promise<void> {
  const packages = readdirSync(built)
    .map((name) => join(built, name))
    // An older build may have left other folders.
    .filter((folder) => existsSync(join(folder, 'package.json')));
  if (packages.length === 0) return;
  const targets = homes.map((home) => join(home, PACKAGES));
  const [program, ...args] = user.as(['/bin/sh', '-ec', COPY, 'sh', ...targets, '', ...packages]);
  await run(program, args, PLAIN);
}
