// What the CronJob of recovery runs: the command's own code in one file, without a package. n8n's image has the rest.
import { join } from 'node:path';
import { build } from 'esbuild';

export async function recoveryFiles(root) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'cli/src/features/recover/in-cluster.ts')],
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['ioredis'],
    banner: {
      js: '// Generated from cli/src/features/recover by tools/recovery.mjs. docs/recovery.md',
    },
    write: false,
    logLevel: 'warning',
  });
  return { 'files/recover.cjs': outputFiles[0].text };
}
