import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '../../../capacity/src/lab/paths';

export interface Packed {
  tarball: string;
  name: string;
  version: string;
  integrity: string;
  sizeBytes: number;
  files: string[];
}

/** Builds and packs the node package as it would be published. */
export function packNodes(into: string): Packed {
  const output = execFileSync(process.execPath, ['nodes/pack.mjs', into], {
    ...{ cwd: repositoryRoot(), encoding: 'utf8' },
  });
  const [packed] = JSON.parse(output) as [
    {
      filename: string;
      name: string;
      version: string;
      integrity: string;
      size: number;
      files: { path: string }[];
    },
  ];
  const { filename, name, version, integrity, size } = packed;
  const files = packed.files.map(({ path }) => path).sort();
  return { tarball: join(into, filename), name, version, integrity, sizeBytes: size, files };
}
