import type { SeedWorkflow } from '../../catalogue/seeding';
import { findBundled } from '../../lab/kit';
import { pinned, readVersions } from '../../lab/paths';
import { findControl, type Limits } from '../../linux/cgroup';
import { contradiction, isLegacy, databaseOf, type Topology } from '../../plan/topology';
import { Mistake } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import { choosePorts, PATCHES } from '../process/layout';
import { ProcessRunning, type Means } from '../process/process-running';
import { HASH } from '../process/stores';
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
  once,
  versionOfRedis,
  type N8nImage,
} from './images';
import { ContainerJournal } from './journal';

export interface ContainerTargetOptions {
  topology: Topology;
  /** Of n8n: a reference or an archive; null: n8n's own image of the topology's version. */
  image: string | null;
  /** Those of the stores, like `redis` and `postgres`; null: the ones that the chart takes. */
  redisImage: string | null;
  postgresqlImage: string | null;
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
      const limits: Limits[] = [asked.main, asked.workers, asked.webhooks];
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
        means: meansOf(engine, images),
      });
      return upOrDown(running, progress, signal);
    },
  };
}

interface Images {
  n8n: N8nImage & { id: string; name: string };
  redis: string | null;
  postgresql: { id: string; programs: string } | null;
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
  return { n8n, redis, postgresql, versions };
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
      `the image ${name} contains n8n ${n8n}, but the topology asks for n8n ${topology.n8n}: remove the version, or use an image with this version.`,
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

function meansOf(engine: Engine, { n8n, redis, postgresql }: Images): Means {
  const patches = findBundled(PATCHES, 'untraced-sqlite.cjs');
  const imageOf = ({ role, command: [program] }: ProcessSpec): ImageOf | null => {
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
    supervisor: (id, workspace) =>
      new Containers({
        ...{ id, engine, control: findControl(), workspace, imageOf },
        journal: new ContainerJournal(id, engine.program),
      }),
    hash: (password) =>
      once(engine, n8n.id, 'node', ['-e', HASH, n8n.program], { PASSWORD: password }),
  };
}
