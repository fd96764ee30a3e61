// The two packages of nodes: each manifest lies beside the nodes that it names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  name: string;
  private?: boolean;
  /** What is packed beside what the build makes. */
  files: string[];
  n8n: { credentials: string[]; nodes: string[] };
}

/** The folder of the sources, and the manifest as it is published. */
export const packages = ['nodes/QueueMonitor', 'nodes/LoadTarget'].map((folder) => {
  const whole = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
  // Private here, so that only what was packed can be published.
  const manifest = { ...whole };
  delete manifest.private;
  return { folder, name: manifest.name, manifest };
});
