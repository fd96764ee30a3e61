/** A Compose file that starts n8n: what in it is n8n, and the topology that it lays out. Pure, but for reading files. */
import { dirname, join, resolve } from 'node:path';
import { parseDocument, type Document } from 'yaml';
import type { Limits } from '../linux/cgroup';
import { readPlainFile } from '../linux/plain-file';
import { Mistake, messageOf } from '../ui/exit';
import { counted } from '../ui/numbers';
import { at, isOfPlace, type NamedSettings } from './environment';
import type { Role } from './roles';
import { isHarmlessVariable } from './secrets/variables';

/** A service as Compose reads it, with what `<<` and aliases bring. */
export interface ServiceContent {
  image?: unknown;
  command?: unknown;
  entrypoint?: unknown;
  environment?: unknown;
  container_name?: unknown;
  mem_limit?: unknown;
}

/** `file` is for the sentence about what is wrong in it. */
export function composeDocument(text: string, file: string): Document {
  const document = parseDocument(text, { merge: true });
  const [error] = document.errors;
  if (error === undefined) return document;
  throw new Mistake(`${file} is not YAML: ${error.message.split('\n')[0] ?? ''}`);
}

export const isN8nImage = (image: unknown): boolean =>
  typeof image === 'string' && /(^|[/_-])n8n([:@]|$)/.test(image);

export const noN8n = (file: string): Mistake =>
  new Mistake(
    `${file} has no service that starts n8n: the name of its image must be n8n, such as n8nio/n8n, or end with -n8n or _n8n.`,
  );

export const wordsOf = (command: unknown): string[] =>
  Array.isArray(command)
    ? command.map(String)
    : typeof command === 'string'
      ? command.split(' ')
      : [];

export function roleOf({ command, entrypoint }: ServiceContent): Role {
  const words = [...wordsOf(entrypoint), ...wordsOf(command)];
  return words.includes('worker') ? 'worker' : words.includes('webhook') ? 'webhook' : 'main';
}

/** Reads a map or a list, with `NAME` alone taken from the shell. */
export function environmentIn(given: unknown): Record<string, string | undefined> {
  const pairs = Array.isArray(given)
    ? given.map((line): [string, string | undefined] => {
        const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(String(line)) ?? [];
        return [name, value];
      })
    : Object.entries((given ?? {}) as Record<string, unknown>).map(
        ([name, value]): [string, string | undefined] => [
          name,
          value === null ? undefined : String(value as string | number | boolean),
        ],
      );
  return Object.fromEntries(pairs);
}

export interface ComposeTopology {
  /** Values of the chart, as in a topology file. */
  values: NamedSettings;
  images: Record<'n8n' | 'redis' | 'postgresql' | 'runners', string | null>;
  /** What the services of task runners say, beyond their image. */
  runners: ComposeRunners;
  /** Which service is what, a line each. */
  taken: string[];
  /** What is not taken over, a line each: names of services and keys, and no value. */
  left: string[];
}

export interface ComposeRunners {
  limits: Limits;
  env: Record<string, string>;
}

type Texts = Readonly<Record<string, string | undefined>>;

export interface Around {
  /** Variables of the shell. */
  shell: Texts;
  /** The text of a file beside it; null: there is none. */
  read(file: string): string | null;
}

/** The file, with the shell's variables and those of `.env` beside it. */
export function readComposeFile(file: string): ComposeTopology {
  let text: string;
  try {
    text = readPlainFile(file);
  } catch (error) {
    throw new Mistake(`the Compose file ${file} cannot be read: ${messageOf(error)}`);
  }
  const folder = dirname(resolve(file));
  return composeTopology(text, file, {
    shell: process.env,
    read: (name) => {
      try {
        return readPlainFile(join(folder, name));
      } catch {
        return null;
      }
    },
  });
}

interface Service extends ServiceContent {
  name: string;
  content: Readonly<Record<string, unknown>>;
  /** With those of its `env_file`. */
  env: Record<string, string>;
}

export function composeTopology(text: string, file: string, around: Around): ComposeTopology {
  const given = { ...environmentFile(around.read('.env') ?? ''), ...around.shell };
  const left: string[] = [];
  const leave: Leave = ({ name }, key, why) => void left.push(`${name}: ${key}: ${why}`);
  const all = servicesIn(composeDocument(text, file), file, given, around).filter((service) => {
    const own = [service.content['profiles'] ?? []].flat().map(String);
    const isStarted = own.length === 0 || own.some((one) => isActive(one, given));
    if (!isStarted) leave(service, 'profiles', 'not started without its profile');
    return isStarted;
  });
  const isN8n = ({ image }: Service): boolean => isN8nImage(image);
  const n8n = all.filter(isN8n);
  const of = (role: Role): Service[] => n8n.filter((service) => roleOf(service) === role);
  const [main, ...mains] = of('main');
  if (main === undefined) throw noN8n(file);
  const isQueue = main.env['EXECUTIONS_MODE'] === 'queue';
  const [stray] = [...of('worker'), ...of('webhook')];
  if (!isQueue && stray !== undefined) {
    throw new Mistake(
      `${file}: ${stray.name} is a ${roleOf(stray)}, but ${main.name} does not set EXECUTIONS_MODE=queue: set the variable for ${main.name}.`,
    );
  }
  if (isQueue && of('worker').length === 0) {
    throw new Mistake(
      `${file}: ${main.name} has EXECUTIONS_MODE=queue, but no service has the command worker: add a worker, or remove the variable.`,
    );
  }
  for (const other of mains) leave(other, 'image', 'only one main is started');
  const [redis, postgresql] = [REDIS, POSTGRESQL].map((name) =>
    all.find(({ image }) => name.test(String(image))),
  );
  const isPostgresql = databaseTypeOf(main, file) === 'postgresql';
  if (isQueue && !isPostgresql) {
    throw new Mistake(
      `${file}: ${main.name} has EXECUTIONS_MODE=queue without DB_TYPE=postgresdb: set both variables for ${main.name}.`,
    );
  }
  const stores = [isQueue ? redis : undefined, isPostgresql ? postgresql : undefined];
  for (const service of all) {
    if (isN8n(service)) leaveKeys(service, leave, N8N_KEYS);
    else if (stores.includes(service)) leaveStore(service, leave);
    else if (!isRunners(service)) {
      leave(
        service,
        'image',
        'the service is neither n8n nor one of its stores, so it is not started',
      );
    }
  }
  if (isQueue && redis === undefined) {
    leave(
      main,
      'QUEUE_BULL_REDIS_HOST',
      'the file has no Redis, so the Redis image of the chart is used',
    );
  }
  if (isPostgresql && postgresql === undefined) {
    leave(
      main,
      'DB_POSTGRESDB_HOST',
      'the file has no PostgreSQL, so the PostgreSQL image of the chart is used',
    );
  }
  const runners = runnersOf(all.filter(isRunners), main, leave);
  const roles = (['main', 'worker', 'webhook'] as const).map(
    (role) => [role, roleIn(role === 'main' ? [main] : of(role), role, main, leave)] as const,
  );
  return {
    values: {
      ...imageTag(main),
      executions: { mode: isQueue ? 'queue' : 'regular' },
      // Without one, n8n's own, which options may replace.
      ...(main.env['DB_TYPE'] === undefined
        ? {}
        : { database: { type: isPostgresql ? 'postgresql' : 'sqlite' } }),
      // The profile is the file's: n8n as it comes, with the variables of the file.
      tuning: { profile: 'none' },
      ...Object.fromEntries(roles.filter(([role]) => role === 'main' || of(role).length > 0)),
      ...(isQueue && of('webhook').length === 0 ? { webhook: { enabled: false } } : {}),
    },
    images: {
      n8n: textOf(main.image),
      redis: textOf(stores[0]?.image),
      postgresql: textOf(stores[1]?.image),
      runners: textOf(runners?.image),
    },
    runners: runners === undefined ? { limits: {}, env: {} } : ofRunners(runners, leave),
    taken: [
      ...n8n.filter((service) => !mains.includes(service)).map(saidOf),
      ...stores.flatMap((store, index) =>
        store === undefined ? [] : [`${store.name}: ${index === 0 ? 'Redis' : 'PostgreSQL'}`],
      ),
      ...(runners === undefined ? [] : [`${runners.name}: task runners`]),
    ],
    left,
  };
}

const REDIS = /(^|\/)(redis|valkey|redis-stack-server)([:@]|$)/;
const POSTGRESQL = /(^|\/)(postgres|postgresql|pgvector|postgis|timescaledb)([:@]|$)/;
const RUNNERS = /(^|\/)runners([:@]|$)/;

const isRunners = ({ image }: Service): boolean => RUNNERS.test(String(image));

/** The first, for each main and each worker; a service stands for all of its replicas. */
function runnersOf(services: readonly Service[], main: Service, leave: Leave): Service | undefined {
  const [first, ...rest] = services;
  if (main.env['N8N_RUNNERS_MODE'] !== 'external') {
    for (const each of services) {
      leave(each, 'image', `not used, because ${main.name} does not set N8N_RUNNERS_MODE=external`);
    }
    return undefined;
  }
  if (first === undefined) {
    const why = "the file has no task runners, so those inside n8n's containers are used";
    leave(main, 'N8N_RUNNERS_MODE', why);
    return undefined;
  }
  leaveKeys(first, leave, N8N_KEYS);
  if (first.content['command'] !== undefined || first.content['entrypoint'] !== undefined) {
    leave(first, 'command', "the image's own is used");
  }
  for (const other of rest) {
    if (textOf(other.image) === textOf(first.image)) continue;
    leave(other, 'image', `the image of ${first.name} is used`);
  }
  return first;
}

function ofRunners(service: Service, leave: Leave): ComposeRunners {
  const env = Object.entries(service.env).filter(([name, value]) => {
    if (isOfPlace(name)) return false;
    const isPassedOn = isHarmlessVariable(name, value);
    if (!isPassedOn) leave(service, name, 'not passed on');
    return isPassedOn;
  });
  const cpu = cpuOf(service);
  const memory = memoryOf(service);
  const limits = {
    ...(cpu === undefined ? {} : { cpuMillicores: Number.parseInt(cpu, 10) }),
    ...(memory === undefined ? {} : { memoryMiB: Number.parseInt(memory, 10) }),
  };
  return { limits, env: Object.fromEntries(env) };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const saidOf = (service: Service): string => {
  const role = roleOf(service);
  if (role === 'main') return `${service.name}: main`;
  const count = counted(countOf(service), role === 'worker' ? 'worker' : 'webhook processor');
  return `${service.name}: ${count}`;
};

/** n8n's version where the tag is one. */
function imageTag({ image }: Service): NamedSettings {
  const tag = /:(\d+\.\d+\.\d+)$/.exec(String(image))?.[1];
  return tag === undefined ? {} : { image: { tag } };
}

function databaseTypeOf({ name, env }: Service, file: string): 'postgresql' | 'sqlite' {
  const type = env['DB_TYPE'] ?? 'sqlite';
  if (type === 'postgresdb') return 'postgresql';
  if (type === 'sqlite') return 'sqlite';
  throw new Mistake(
    `${file}: DB_TYPE of ${name} is neither sqlite nor postgresdb: use one of them.`,
  );
}

type Leave = (service: Service, key: string, why: string) => void;

/** What a container of the target has of its own, and what concerns other services. */
const KEYS_OF_PLACE = new Set(
  `
  annotations attach build container_name depends_on domainname expose healthcheck hostname image labels links logging
  networks platform ports profiles pull_policy restart stdin_open stop_grace_period stop_signal tty user userns_mode
  volumes working_dir
  `
    .trim()
    .split(/\s+/),
);
const N8N_KEYS = new Set(
  'command cpus deploy entrypoint env_file environment mem_limit memswap_limit scale'.split(' '),
);
const STORE_KEYS = new Set(['environment', 'env_file']);

function leaveKeys(service: Service, leave: Leave, known: ReadonlySet<string>): void {
  for (const key of Object.keys(service.content)) {
    if (KEYS_OF_PLACE.has(key) || known.has(key) || key.startsWith('x-')) continue;
    leave(service, key, 'this key has no effect here');
  }
  const limits = at(service.content, ['deploy', 'resources', 'limits']);
  for (const key of Object.keys((limits ?? {}) as object)) {
    if (known.has('deploy') && key !== 'cpus' && key !== 'memory') {
      leave(service, `deploy.resources.limits.${key}`, 'this key has no effect here');
    }
  }
}

/** Variables of the images of stores that name users, passwords and folders. */
const OF_STORES = /^(POSTGRES(QL)?_\w+|PGDATA|PGUSER|PGPASSWORD|REDIS_\w*PASSWORD\w*|TZ)$/;

function leaveStore(service: Service, leave: Leave): void {
  leaveKeys(service, leave, STORE_KEYS);
  for (const variable of Object.keys(service.env)) {
    if (!OF_STORES.test(variable) || variable === 'POSTGRES_INITDB_ARGS') {
      leave(service, variable, 'not passed on');
    }
  }
  const volumes = [service.content['volumes']].flat().map((volume) => {
    const target = at(volume, ['target']) ?? volume;
    return typeof target === 'string' ? target : '';
  });
  if (volumes.some((volume) => /\.conf(:\w+)?$/.test(volume))) {
    leave(service, 'volumes', 'the settings file of the service is not mounted');
  }
}

/** What needs a license, or a store that is not there. */
const IMPOSSIBLE: Record<string, RegExp> = {
  N8N_MULTI_MAIN_SETUP_ENABLED: /^true$/,
  N8N_DEFAULT_BINARY_DATA_MODE: /^s3$/,
};

function roleIn(
  services: readonly Service[],
  role: Role,
  main: Service,
  leave: Leave,
): NamedSettings {
  const [first, ...rest] = services;
  if (first === undefined) return {};
  const own = ownOf(first, leave);
  for (const other of rest) {
    const their = ownOf(other, leave);
    for (const key of ['env', 'resources', 'concurrency'] as const) {
      if (JSON.stringify(their[key]) === JSON.stringify(own[key])) continue;
      leave(other, KEY_OF[key], `every ${role} gets the value of ${first.name}`);
    }
  }
  for (const each of services) {
    if (textOf(each.image) !== textOf(main.image)) {
      leave(each, 'image', `the image of ${main.name} is used`);
    }
  }
  if (role === 'main') {
    if (countOf(first) > 1) leave(first, 'replicas', 'only one main is started');
    return withoutNothing({ env: own.env, resources: own.resources });
  }
  return withoutNothing({
    ...{ env: own.env, resources: own.resources },
    replicas: services.reduce((sum, each) => sum + countOf(each), 0),
    ...(role === 'worker' ? { concurrency: own.concurrency } : { enabled: true }),
  });
}

const KEY_OF = { env: 'environment', resources: 'limits', concurrency: 'command' };

interface Own {
  env: Record<string, string>;
  resources: NamedSettings | undefined;
  concurrency: number | undefined;
}

function ownOf(service: Service, leave: Leave): Own {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(service.env)) {
    const isImpossible = IMPOSSIBLE[name]?.test(value) === true;
    if (isOfPlace(name) && !isImpossible) continue;
    if (isImpossible || !isHarmlessVariable(name, value)) {
      leave(service, name, 'not passed on');
    } else env[name] = value;
  }
  const words = [...wordsOf(service.entrypoint), ...wordsOf(service.command)];
  const known =
    /^(tini|--|\S*\/?tini|\S*docker-entrypoint\.sh|n8n|start|worker|webhook|--concurrency(=\d+)?|\d+|)$/;
  if (words.some((word) => !known.test(word))) leave(service, 'command', "n8n's own is used");
  const limits = withoutNothing({ cpu: cpuOf(service), memory: memoryOf(service) });
  return {
    env,
    resources: Object.keys(limits).length === 0 ? undefined : { limits },
    concurrency: concurrencyOf(service, words),
  };
}

/** n8n's own order: the variable wins over the option. */
function concurrencyOf({ env }: Service, words: readonly string[]): number | undefined {
  const limit = Number(env['N8N_CONCURRENCY_PRODUCTION_LIMIT']);
  if (limit > 0) return limit;
  const found = /--concurrency[= ](\d+)/.exec(words.join(' '))?.[1];
  return found === undefined ? undefined : Number(found);
}

function cpuOf({ name, content }: Service): string | undefined {
  const given = at(content, ['deploy', 'resources', 'limits', 'cpus']) ?? content['cpus'];
  const cores = Number(given);
  if (given == null || given === '' || cores === 0) return undefined;
  if (!(cores > 0))
    throw new Mistake(`${name}: the CPU limit is invalid: use a number of cores, such as 0.5.`);
  return `${String(Math.round(cores * 1000))}m`;
}

const BYTES: Record<string, number> = { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** Compose writes amounts in which `m` and `mb` are MiB. */
function memoryOf({ name, content }: Service): string | undefined {
  const given = at(content, ['deploy', 'resources', 'limits', 'memory']) ?? content['mem_limit'];
  if (given == null || given === '' || Number(given) === 0) return undefined;
  const [, amount, unit = 'b'] =
    /^(\d+(?:\.\d+)?) ?([bkmg])?(?:i?b)?$/i.exec(String(given as string | number)) ?? [];
  if (amount === undefined)
    throw new Mistake(`${name}: the memory limit is invalid: use an amount such as 512m.`);
  return `${String(Math.round((Number(amount) * (BYTES[unit.toLowerCase()] ?? 1)) / 2 ** 20))}Mi`;
}

function countOf({ name, content }: Service): number {
  const given = at(content, ['deploy', 'replicas']) ?? content['scale'] ?? 1;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new Mistake(`${name}: the number of replicas is invalid: use a whole number.`);
}

const withoutNothing = (values: NamedSettings): NamedSettings =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) =>
        value !== undefined &&
        !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
    ),
  );

function servicesIn(document: Document, file: string, given: Texts, around: Around): Service[] {
  const { services } = (document.toJS() ?? {}) as { services?: Record<string, unknown> };
  if (typeof services !== 'object') {
    throw new Mistake(`${file} has no services: specify the Compose file that starts n8n.`);
  }
  return Object.entries(services).map(([name, raw]): Service => {
    const content = filledIn(raw ?? {}, given, name) as Service['content'];
    if (content['image'] === undefined && content['extends'] !== undefined) {
      throw new Mistake(
        `${file}: ${name} extends another service: write the whole file with docker compose config, and pass that file.`,
      );
    }
    if (/[:/]$/.test(String(content['image']))) {
      throw new Mistake(
        `${file}: the image name of ${name} contains a variable that is not set: set the variable in .env, or in the shell.`,
      );
    }
    const files = [content['env_file'] ?? []].flat().map((one) => String(at(one, ['path']) ?? one));
    const texts = files.map((one) => environmentFile(around.read(one) ?? ''));
    const env = { ...Object.assign({}, ...texts), ...shelled(content['environment'], given) };
    return { name, ...content, content, env };
  });
}

const isActive = (profile: string, given: Texts): boolean =>
  (given['COMPOSE_PROFILES'] ?? '').split(',').some((one) => one === profile || one === '*');

/** `NAME` alone has the value of the shell, and is left out where that has none. */
function shelled(environment: unknown, given: Texts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environmentIn(environment)).flatMap(([name, value]) => {
      const found = value ?? given[name];
      return found === undefined || !/^[A-Za-z_]\w*$/.test(name) ? [] : [[name, found]];
    }),
  );
}

/** Texts with their variables replaced, as Compose does. */
function filledIn(value: unknown, given: Texts, service: string): unknown {
  if (typeof value === 'string') return interpolated(value, given, service);
  if (Array.isArray(value)) return value.map((each) => filledIn(each, given, service));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, filledIn(each, given, service)]),
  );
}

const VARIABLE = /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-?+])((?:[^{}]|\{[^{}]*\})*))?\})/g;

function interpolated(text: string, given: Texts, service: string): string {
  return text.replace(
    VARIABLE,
    (all, bare?: string, name?: string, sign?: string, word: string = '') => {
      if (all === '$$') return '$';
      const value = given[bare ?? name ?? ''];
      const isThere = value !== undefined && (sign?.startsWith(':') !== true || value !== '');
      const then = (): string => interpolated(word, given, service);
      if (sign?.endsWith('+') === true) return isThere ? then() : '';
      if (isThere) return value;
      if (sign?.endsWith('?') === true) {
        throw new Mistake(
          `${service} requires the variable ${name ?? ''}: set it in .env next to the Compose file, or in the shell.`,
        );
      }
      return sign === undefined ? '' : then();
    },
  );
}

/** Lines of NAME=VALUE, with the quotes that Compose takes off. */
function environmentFile(text: string): Record<string, string> {
  const lines = text.split('\n').flatMap((line): [string, string][] => {
    const [, name, value = ''] =
      /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined) return [];
    const quoted = /^(["'])(.*)\1/.exec(value)?.[2];
    return [[name, quoted ?? value.replace(/\s+#.*$/, '')]];
  });
  return Object.fromEntries(lines);
}
