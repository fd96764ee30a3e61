import type { SeedWorkflow } from '../../catalogue/seeding';
import { findBundled } from '../../lab/kit';
import { pinned, readVersions } from '../../lab/paths';
import { findControl, type Limits } from '../../linux/cgroup';
import type { ComposeRunners } from '../../plan/compose';
import { supports } from '../../plan/environment';
import { contradiction, isLegacy, databaseOf, type Topology } from '../../plan/topology';
import { Mistake } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import { choosePorts, PATCHES } from '../process/layout';
import { freePort } from '../process/ports';
import { ProcessRunning, type Means } from '../process/process-running';
import { HASH } from '../process/stores';
import { newPassword } from '../process/secrets';
import type { ProcessSpec } from '../process/supervisor';
import { upOrDown } from '../process/process-target';
import { builtNodes, find, templatesFolder, type Tools } from '../process/tools';
import { Workspace } from '../process/workspace';
import type { Target } from '../target';
import { Containers, type ImageOf } from './containers';
import { Engine, whyNoLimits } from './engine';
import {
  haveImage,
  lookIntoN8n,
  lookIntoPostgresql,
  lookIntoRunners,
  once,
  versionOfRedis,
  type N8nImage,
  type RunnersImage,
} from './images';
import { ContainerJournal } from './journal';
import { withRunners, type RunnerPorts } from './runners';

export interface ContainerTargetOptions {
  topology: Topology;
  /** The image of n8n: a reference or an archive; null: n8n's own image of the topology's version. */
  image: string | null;
  /** Those of the stores, like `redis` and `postgres`; null: the ones that the chart takes. */
  redisImage: string | null;
  postgresqlImage: string | null;
  /** Beside main and each worker; null: n8n runs its Code nodes itself. Without limits, they have those of n8n. */
  runners: ({ image: string } & ComposeRunners) | null;
  /** podman, docker or a path; null: the first that answers. */
  engine: string | null;
  /** Whether the user has named the version of n8n, which the image must then have. */
  isVersionNamed: boolean;
  workflows: readonly SeedWorkflow[];
  readyTimeoutMs: number;
  /** What is said of the Compose file before anything starts. */
  notes?: readonly string[];
  hasLinks?: boolean;
  hasSmallDisk?: boolean;
  hasReadiness?: boolean;
}

/** n8n and its stores as containers on this machine, from any image. */
export function containerTarget(options: ContainerTargetOptions): Target {
  return {
    kind: 'container',
    up: async (progress, signal) => {
      const { topology: asked } = options;
      const engine = await Engine.find(options.engine);
      const { runners } = options;
      const limits: Limits[] = [asked.main, asked.workers, asked.webhooks, runners?.limits ?? {}];
      const cannot = whyNoLimits(engine.facts, limits);
      if (cannot !== null) throw new Mistake(`${cannot}.`);
      const images = await haveImages(engine, options, progress);
      signal.throwIfAborted();
      const topology = withVersion(asked, images.n8n, options);
      const running = new ProcessRunning({
        ...{ topology, workflows: options.workflows, readyTimeoutMs: options.readyTimeoutMs },
        hasSmallDisk: options.hasSmallDisk ?? false,
        hasReadiness: options.hasReadiness ?? false,
        ...{ templates: templatesFolder(), tools: toolsOf(topology, images) },
        ...{ control: findControl(), versions: images.versions },
        ports: await choosePorts(topology, options.hasLinks ?? false),
        workspace: await Workspace.open({ node: process.execPath, n8nCommand: [process.execPath] }),
        means: meansOf(engine, images, await besideOf(topology, images, runners)),
      });
      return upOrDown(running, progress, signal);
    },
  };
}

interface Images {
  n8n: N8nImage & { id: string; name: string };
  redis: string | null;
  postgresql: { id: string; programs: string } | null;
  runners: ({ id: string } & RunnersImage) | null;
  /** For the record. */
  versions: Record<string, string>;
}

async function haveImages(
  engine: Engine,
  { topology, ...given }: ContainerTargetOptions,
  tell: Progress,
): Promise<Images> {
  const name = given.image ?? `docker.io/n8nio/n8n:${topology.n8n}`;
  const id = await haveImage(engine, name, tell);
  const n8n = { ...(await lookIntoN8n(engine, id, name)), id, name };
  const versions: Record<string, string> = {
    ...{ n8n: n8n.n8n, node: n8n.node, image: id },
    [engine.facts.kind]: engine.facts.version,
  };
  let redis: string | null = null;
  if (topology.mode === 'queue') {
    redis = await haveImage(engine, given.redisImage ?? pinnedImage('redis'), tell);
    versions['redis'] = await versionOfRedis(engine, redis);
  }
  let postgresql: Images['postgresql'] = null;
  if (databaseOf(topology) === 'postgresql') {
    const image = given.postgresqlImage ?? pinnedImage('postgres');
    const postgresqlId = await haveImage(engine, image, tell);
    const { programs, version } = await lookIntoPostgresql(engine, postgresqlId);
    postgresql = { id: postgresqlId, programs };
    versions['postgresql'] = version;
  }
  let runners: Images['runners'] = null;
  if (given.runners !== null) {
    const runnersId = await haveImage(engine, given.runners.image, tell);
    const found = await lookIntoRunners(engine, runnersId, given.runners.image);
    runners = { id: runnersId, ...found };
    versions['runners'] = found.version;
  }
  return { n8n, redis, postgresql, runners, versions };
}

const pinnedImage = (name: 'redis' | 'postgres'): string =>
  `docker.io/library/${name}:${pinned(readVersions(), `${name.toUpperCase()}_IMAGE_TAG`)}`;

/** With the version that the image has, which decides what n8n is told. */
function withVersion(
  topology: Topology,
  { n8n, name }: Images['n8n'],
  { isVersionNamed }: ContainerTargetOptions,
): Topology {
  if (isVersionNamed && n8n !== topology.n8n) {
    throw new Mistake(
      `the image ${name} contains n8n ${n8n}, but the topology asks for n8n ${topology.n8n}: remove the version, or use an image that contains n8n ${topology.n8n}.`,
    );
  }
  const found = { ...topology, n8n };
  const wrong = contradiction(found);
  if (wrong !== null) throw new Mistake(`${wrong}.`);
  if (isLegacy(n8n)) {
    throw new Mistake(
      `n8n ${n8n} is older than 1.0, which --target container does not support: use --target process.`,
    );
  }
  return found;
}

const NODE_SQLITE_MAJOR = 24;

function toolsOf(topology: Topology, { n8n, redis, postgresql }: Images): Tools {
  const isNew = Number(process.versions.node.split('.')[0]) >= NODE_SQLITE_MAJOR;
  return {
    node: process.execPath,
    n8nCommand: [n8n.program],
    sqliteNode: isNew || databaseOf(topology) !== 'sqlite' ? process.execPath : find('node24'),
    redisServer: redis === null ? null : 'redis-server',
    postgresqlBin: postgresql?.programs ?? null,
    nginx: topology.webhooks.count > 0 ? find('nginx') : null,
    nodesFolder: builtNodes(),
  };
}

async function besideOf(
  topology: Topology,
  { runners }: Images,
  given: ContainerTargetOptions['runners'],
): Promise<Means['beside']> {
  if (runners === null || given === null) return undefined;
  if (!supports(topology.n8n, 'taskRunners')) {
    throw new Mistake(`n8n ${topology.n8n} has no task runners: use --runners-image none.`);
  }
  const count = 1 + (topology.mode === 'queue' ? topology.workers.count : 0);
  const ports: RunnerPorts[] = [];
  for (let n = 0; n < count; n += 1) {
    const own: number[] = [];
    while (own.length < runners.config['task-runners'].length) own.push(await freePort());
    ports.push({ launcher: await freePort(), runners: own });
  }
  return (spec, seat, workspace) => {
    if (seat.role === 'webhook') return null;
    const own = ports[seat.role === 'main' ? 0 : Number(/\d+$/.exec(seat.instance)?.[0])];
    if (own === undefined) throw new Error(`${seat.instance} has no ports for its task runners`);
    return withRunners(spec, workspace, {
      ...{ n8n: topology.n8n, config: runners.config, given, ports: own },
      ...{ brokerPort: seat.brokerPort, token: newPassword() },
    });
  };
}

function meansOf(
  engine: Engine,
  { n8n, redis, postgresql, runners }: Images,
  beside: Means['beside'],
): Means {
  const patches = findBundled(PATCHES, 'untraced-sqlite.cjs');
  const imageOf = ({ role, command: [program], env, folder }: ProcessSpec): ImageOf | null => {
    if (role === 'runner' && runners !== null) {
      const config = { path: env['N8N_RUNNERS_CONFIG_PATH'] ?? '', isReadOnly: true };
      return {
        id: runners.id,
        isOwnProgram: true,
        isApart: true,
        mounts: [{ path: folder }, config],
      };
    }
    if (program === n8n.program) {
      return {
        ...{ id: n8n.id, isOwnProgram: true },
        mounts: [{ path: patches, isReadOnly: true }],
      };
    }
    if (role === 'redis' && redis !== null) return { id: redis, isOwnProgram: false };
    if (role === 'postgresql' && postgresql !== null) {
      return { id: postgresql.id, isOwnProgram: false };
    }
    return null;
  };
  return {
    kind: 'container',
    ...(beside === undefined ? {} : { beside }),
    supervisor: (id, workspace) =>
      new Containers({
        ...{ id, engine, control: findControl(), workspace, imageOf },
        journal: new ContainerJournal(id, engine.program),
      }),
    hash: (password) =>
      once(engine, n8n.id, 'node', ['-e', HASH, n8n.program], { PASSWORD: password }),
  };
}
