import { parse as parseYaml } from 'yaml';
import { messageOf, Mistake } from '../ui/exit';
import { checkedYaml } from '../ui/yaml-file';
import type { TopologyChoice } from './chosen-topology';
import { isWorkloadFile, type ChosenWorkload } from './chosen-workload';
import { isMasked } from './secrets/mask';
import { serverSchema, type Server } from './server';
import { readPlainFile } from '../linux/plain-file';

/** What the user asks for: a file, in which single options replace values. */
export interface ServerChoice extends TopologyChoice {
  command?: string | undefined;
  url?: string | undefined;
}

/** What n8n alone has, by the flag that asks for it. */
const OF_N8N = {
  n8n: '--n8n',
  mode: '--mode',
  process: '--process',
  database: '--database',
  workers: '--workers',
  concurrency: '--concurrency',
  webhooks: '--webhooks',
  heap: '--heap',
  tuning: '--tuning',
} as const satisfies Partial<Record<keyof TopologyChoice, string>>;

export function chooseServer(choice: ServerChoice): Server {
  for (const [name, flag] of Object.entries(OF_N8N)) {
    if (choice[name as keyof typeof OF_N8N] === undefined) continue;
    throw new Mistake(
      `${flag} is an option for n8n, which --target server does not start: remove it.`,
    );
  }
  const file = choice.topology === undefined ? {} : writtenIn(choice.topology);
  const named = { command: choice.command, url: choice.url };
  const limits = { cpuMillicores: choice.cpu, memoryMiB: choice.memory };
  const given = Object.entries({ ...named, ...limits }).filter(([, value]) => value !== undefined);
  const env = { ...(file['env'] as object | undefined), ...choice.env };
  return serverFrom({ ...file, ...Object.fromEntries(given), env }, choice.topology ?? null);
}

/** `where`: the file that it is in; null: on the command line. */
export function serverFrom(given: Record<string, unknown>, where: string | null): Server {
  for (const [name, example] of [
    ['command', "'node server.js'"],
    ['url', 'http://127.0.0.1:3000'],
  ] as const) {
    if (given[name] !== undefined) continue;
    throw new Mistake(
      where === null
        ? `--target server requires --${name}, such as --${name} ${example}.`
        : `${where} does not set the ${name} of the server: add ${name}: ${example}.`,
    );
  }
  const result = serverSchema.safeParse(given);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new Mistake(
      `the settings of the server are invalid at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    );
  }
  const { url, env } = result.data;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '') {
    throw new Mistake(`the server's url is '${url}': use a form such as http://127.0.0.1:3000.`);
  }
  const masked = Object.entries(env).find(([, value]) => isMasked(value));
  if (masked !== undefined) {
    throw new Mistake(
      `the server has ${masked.join('=')}, a placeholder that records use for secrets: set the real value.`,
    );
  }
  return result.data;
}

/** Whether the file lays out a server, and not n8n. */
export const isServerFile = (file: string): boolean => readYaml(file)['command'] !== undefined;

/** What the user asks for. */
export interface ServerLoad {
  request?: string | undefined;
  /** A workload file; the bundled ones are n8n's. */
  workload?: string | undefined;
  param?: readonly string[] | undefined;
  variant?: string | undefined;
  workflow?: readonly string[] | undefined;
}

/** What is loaded: a request of the user's own or a workload file, else the URL itself. */
export function serverLoad(
  url: string,
  choice: ServerLoad,
): { request: string } | { workload: string } {
  const { request, workload } = choice;
  const file = workload !== undefined && isWorkloadFile(workload) ? workload : null;
  const ofN8n = (['workload', 'param', 'variant', 'workflow'] as const)
    .filter((name) => file === null || name === 'variant' || name === 'workflow')
    .find((name) => choice[name] !== undefined);
  if (ofN8n !== undefined) {
    throw new Mistake(
      `--${ofN8n} works only with n8n, which --target server does not start: it loads --url, --request or a workload file.`,
    );
  }
  if (file !== null && request !== undefined) {
    throw new Mistake('--workload and --request both select what to load: use only one of them.');
  }
  const { origin, pathname, search } = new URL(url);
  const path = `${pathname}${search}`;
  const other = file !== null ? 'workload' : request !== undefined ? 'request' : null;
  if (other !== null && path !== '/') {
    throw new Mistake(
      `--url and --${other} both contain a path: use --url ${origin}, or remove --${other}.`,
    );
  }
  return file === null ? { request: request ?? `GET ${path}` } : { workload: file };
}

/** A workload for a server: workflows that come with it would need n8n. */
export function withoutWorkflows(workload: ChosenWorkload): ChosenWorkload {
  if (workload.workflows.length === 0) return workload;
  throw new Mistake(
    `the workload ${workload.recorded.name} has workflows for n8n, which --target server does not start: remove its variants.`,
  );
}

/** What it lacks, options may give. */
const KIND = { name: 'server', schema: serverSchema.partial() };

const writtenIn = (file: string): Record<string, unknown> =>
  checkedYaml(textOf(file), file, KIND).written as Record<string, unknown>;

function textOf(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new Mistake(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function readYaml(file: string): Record<string, unknown> {
  const text = textOf(file);
  try {
    const content: unknown = parseYaml(text);
    return typeof content === 'object' && content !== null
      ? (content as Record<string, unknown>)
      : {};
  } catch (error) {
    throw new Mistake(`${file} cannot be read: ${messageOf(error)}`);
  }
}
