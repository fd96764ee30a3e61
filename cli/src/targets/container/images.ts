/** Images: how they are had, and what is in them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { BOOT_ID, bootId } from '../../linux/proc';
import { Failure, messageOf, Mistake } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import type { Engine } from './engine';
import { runnersConfigSchema } from './runners';

const run = promisify(execFile);

/** n8n's version in a tag, as n8n's own images have it; null where the tag tells none. Pure. */
export function versionInTag(image: string): string | null {
  const [name = ''] = image.split('@');
  return /:v?(\d+\.\d+\.\d+)$/.exec(name)?.[1] ?? null;
}

/** The id of an image, by which it is known from then on: what a name leads to may change. */
export async function haveImage(engine: Engine, image: string, tell: Progress): Promise<string> {
  if (isArchive(image)) {
    const id = await imageIn(image);
    if ((await idOfHere(engine, id)) === null) {
      tell(`loading the image ${image}`);
      await engine.ask('load', '--quiet', '--input', image);
    }
    const loaded = await idOfHere(engine, id);
    if (loaded === null) throw new Failure(`${engine.text} loaded a different image from ${image}`);
    return loaded;
  }
  const here = await idOfHere(engine, image);
  if (here !== null) return here;
  tell(`pulling the image ${image}`);
  try {
    await engine.ask('pull', '--quiet', wholeName(image));
  } catch (error) {
    throw new Mistake(
      `the image ${image} is missing, and cannot be pulled: ${messageOf(error)}. Load it from an archive, or choose another image.`,
    );
  }
  const pulled = await idOfHere(engine, wholeName(image));
  if (pulled === null) throw new Failure(`the image ${image} was pulled, but is still missing`);
  return pulled;
}

/** With Docker's registry, where none is named: podman may know no other. Pure. */
export function wholeName(image: string): string {
  const [first = '', ...rest] = image.split('/');
  if (rest.length === 0) return `docker.io/library/${image}`;
  return /[.:]|^localhost$/.test(first) ? image : `docker.io/${image}`;
}

/** Null: the engine has no image of that name. */
async function idOfHere(engine: Engine, image: string): Promise<string | null> {
  try {
    return idOf(await engine.ask('image', 'inspect', '--format', '{{.Id}}', image));
  } catch {
    return null;
  }
}

/** Printed by the Node.js of an image of n8n. */
const LOOK = `
const { existsSync, readFileSync, realpathSync } = require('node:fs');
const { dirname, join } = require('node:path');
const found = (process.env.PATH ?? '').split(':').map((folder) => join(folder, 'n8n')).find((file) => existsSync(file));
const program = found === undefined ? null : realpathSync(found);
const manifest = program === null ? null : JSON.parse(readFileSync(join(dirname(program), '..', 'package.json'), 'utf8'));
process.stdout.write(JSON.stringify({
  program,
  n8n: manifest === null ? null : manifest.version,
  node: process.versions.node,
  boot: readFileSync('${BOOT_ID}', 'utf8').trim(),
}));
`;

const lookSchema = z.object({
  program: z.string().nullable(),
  n8n: z.string().nullable(),
  node: z.string(),
  boot: z.string(),
});

/** What an image of n8n has in it, as it says itself. */
export interface N8nImage {
  /** The path of its program. */
  program: string;
  n8n: string;
  node: string;
}

export async function lookIntoN8n(engine: Engine, id: string, image: string): Promise<N8nImage> {
  const answer = await once(engine, id, 'node', ['-e', LOOK]).catch((error: unknown) => {
    throw new Mistake(`the image ${image} cannot be inspected: ${messageOf(error)}.`);
  });
  const { program, n8n, node, boot } = lookSchema.parse(JSON.parse(answer));
  if (boot !== bootId()) {
    throw new Mistake(
      `${engine.text} runs its containers on another machine or in a virtual machine: use an engine that runs them on this machine, or load-test a running n8n instance with --url.`,
    );
  }
  if (program === null || n8n === null) {
    throw new Mistake(
      `the image ${image} has no n8n program on its PATH: use --image to specify an n8n image.`,
    );
  }
  return { program, n8n, node };
}

/** Printed by the Node.js of an image of task runners, where the launcher finds its configuration. */
const LOOK_FOR_RUNNERS = `
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const config = JSON.parse(readFileSync('/etc/n8n-task-runners.json', 'utf8'));
const script = config['task-runners'].find((one) => one['runner-type'] === 'javascript').args.at(-1);
const manifest = join(dirname(script), '..', 'package.json');
const version = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : 'unknown';
process.stdout.write(JSON.stringify({ version, config }));
`;

const runnersSchema = z.object({ version: z.string(), config: runnersConfigSchema });
export type RunnersImage = z.infer<typeof runnersSchema>;

/** The version of the runner for JavaScript, which is that of n8n, and the launcher's configuration. */
export async function lookIntoRunners(
  engine: Engine,
  id: string,
  image: string,
): Promise<RunnersImage> {
  try {
    return runnersSchema.parse(
      JSON.parse(await once(engine, id, 'node', ['-e', LOOK_FOR_RUNNERS])),
    );
  } catch (error) {
    throw new Mistake(
      `the image ${image} has no task runners that can be inspected: use an image made from n8nio/runners, or --runners-image none (${messageOf(error).split('\n')[0] ?? ''}).`,
    );
  }
}

export async function versionOfRedis(engine: Engine, id: string): Promise<string> {
  return versionIn(await once(engine, id, 'redis-server', ['--version']));
}

/** The folder of PostgreSQL's programs in an image, and its version. */
export async function lookIntoPostgresql(
  engine: Engine,
  id: string,
): Promise<{ programs: string; version: string }> {
  const script = 'command -v postgres && postgres --version';
  const [program = '', version = ''] = (await once(engine, id, 'sh', ['-c', script])).split('\n');
  return { programs: program.replace(/\/[^/]*$/, ''), version: versionIn(version) };
}

const versionIn = (text: string): string => /\d+(\.\d+)+/.exec(text)?.[0] ?? 'unknown';

/** Runs a program of an image to its end, without a network: what it prints. */
export function once(
  engine: Engine,
  id: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const variables = Object.keys(env).flatMap((name) => ['--env', name]);
  return engine.askWith(
    env,
    ...['run', '--rm', '--network', 'none', ...engine.ulimits, ...variables],
    ...['--entrypoint', program, id, ...args],
  );
}

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
      `the archive ${archive} does not contain exactly one image: create an archive with podman save or docker save.`,
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
