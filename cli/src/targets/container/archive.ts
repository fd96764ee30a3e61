/** An archive of an image, as `podman save` and `docker save` write them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { messageOf, Mistake } from '../../ui/exit';

const run = promisify(execFile);

/** An archive has such a name, a reference has none. Pure. */
export const isArchive = (image: string): boolean => /\.(tar|tgz|tar\.\w+)$/.test(image);

const dockerSchema = z.tuple([z.object({ Config: z.string() })]);
const indexSchema = z.object({ manifests: z.tuple([z.object({ digest: z.string() })]) });
const manifestSchema = z.object({ config: z.object({ digest: z.string() }) });

/** The id of the one image in an archive, which is known without loading it. */
export async function imageIn(archive: string): Promise<string> {
  const read = async (file: string): Promise<unknown> => {
    const { stdout } = await run('tar', ['-xOf', archive, file], { maxBuffer: 16 * 1024 * 1024 });
    return JSON.parse(stdout);
  };
  const { stdout } = await run('tar', ['-tf', archive], { maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: unknown) => {
      throw new Mistake(`the archive ${archive} cannot be read: ${firstLine(error)}.`);
    },
  );
  const files = new Set(stdout.split('\n'));
  try {
    if (files.has('manifest.json')) {
      const [{ Config }] = dockerSchema.parse(await read('manifest.json'));
      return idOf(Config);
    }
    const { manifests } = indexSchema.parse(await read('index.json'));
    const manifest = await read(`blobs/${manifests[0].digest.replace(':', '/')}`);
    return idOf(manifestSchema.parse(manifest).config.digest);
  } catch {
    throw new Mistake(
      `the archive ${archive} does not hold exactly one image: write one with podman save, or docker save.`,
    );
  }
}

/** `sha256:0a1b` also from `0a1b.json` and `blobs/sha256/0a1b`. Pure. */
export function idOf(text: string): string {
  const hash = /([0-9a-f]{64})(\.json)?$/.exec(text)?.[1];
  if (hash === undefined) throw new Error(`no hash in ${text}`);
  return `sha256:${hash}`;
}

function firstLine(error: unknown): string {
  const { stderr = '' } = error as { stderr?: string };
  return (stderr.trim().split('\n')[0] || messageOf(error)).replace(/\.$/, '');
}
