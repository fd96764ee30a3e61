import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '../../../cli/src/lab/paths';

/** Names under which they are published: the nodes for production, and the node for tests. */
export const QUEUE_MONITOR = 'n8n-nodes-queue-monitor';
export const LOAD_TARGET = 'n8n-nodes-load-target';

export interface Packed {
  tarball: string;
  name: string;
  version: string;
  integrity: string;
  sizeBytes: number;
  unpackedBytes: number;
  files: string[];
}

/** Builds and packs both packages of nodes as they would be published. */
export function packNodes(into: string): Packed[] {
  const output = execFileSync(process.execPath, ['--import', 'tsx', 'nodes/pack.ts', into], {
    ...{ cwd: repositoryRoot(), encoding: 'utf8' },
  });
  const packed = JSON.parse(output) as {
    filename: string;
    name: string;
    version: string;
    integrity: string;
    size: number;
    unpackedSize: number;
    files: { path: string }[];
  }[];
  return packed.map(({ filename, name, version, integrity, size, unpackedSize, files }) => ({
    tarball: join(into, filename),
    ...{ name, version, integrity, sizeBytes: size, unpackedBytes: unpackedSize },
    files: files.map(({ path }) => path).sort(),
  }));
}

/** One of the packed packages, by its name. */
export function packageOf(packed: Packed[], name: string): Packed {
  const found = packed.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found;
}

/** The text of one file of a tarball. */
export function fileIn(tarball: string, file: string): string {
  return execFileSync('tar', ['-xzOf', tarball, `package/${file}`], { encoding: 'utf8' });
}
