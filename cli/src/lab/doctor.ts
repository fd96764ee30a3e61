// What is here, what is missing and how to get it: facts in, checks out.
import { formatNumber } from '../ui/numbers';
import { compareVersions } from '../ui/versions';

export const PROGRAMS = [
  'node24',
  'node18',
  'k6',
  'redis-server',
  'postgres',
  'nginx',
  'helm3',
  'helm4',
  'kubectl',
  'kind',
  'chromium',
  'npm',
  'go',
] as const;
export type ProgramName = (typeof PROGRAMS)[number];

export interface Program {
  path: string;
  /** Null: it did not say. */
  version: string | null;
}

export interface Facts {
  /** Platform and architecture as Node.js names them: linux, darwin; x64, arm64. */
  platform: string;
  arch: string;
  cores: number;
  memoryMiB: number;
  freeDiskMiB: number;
  cache: string;
  /** What installs tools is here: this is a checkout, and not the npm package alone. */
  hasLab: boolean;
  isRoot: boolean;
  /** The version of Node.js that runs this command. */
  node: string;
  /** Why CPU and memory limits cannot be set on processes; null: they can. */
  noLimitsReason: string | null;
  /** How they are set, such as `v1`. */
  limitsBy: string | null;
  programs: Record<ProgramName, Program | null>;
  /** Whole installs of n8n in the cache. */
  n8nVersions: string[];
  pinned: { n8n: string; n8nLegacy: string };
  dockerRuns: boolean;
  /** What N8N_TUNED_KUBECONFIG names, and whether that file is there. */
  kubeconfig: { path: string; exists: boolean } | null;
  /** The native Kubernetes has been built. */
  nativeClusterBuilt: boolean;
}

export type Purpose = 'load' | 'process' | 'queue' | 'kubernetes' | 'tests' | 'installing';

export interface DoctorCheck {
  purpose: Purpose;
  name: string;
  /** `missing` where its purpose needs it, `absent` where something is merely left out. */
  state: 'ok' | 'missing' | 'absent';
  found: string;
  /** What to do; null where nothing is to be done. */
  advice: string | null;
}

const MIN_FREE_MIB = 8192;
/** n8n, k6 and Redis or PostgreSQL beside them: below this they push each other out. */
const MIN_MEMORY_MIB = 3072;
const MIN_NODE_MAJOR = 20;
const MIN_K6 = '1.8.0';
const MIN_GO = '1.26.0';
const MIN_HELM = '3.18.0';

export function diagnose(facts: Facts): DoctorCheck[] {
  if (!facts.hasLab) return [...forLoad(facts), withoutLab(), ...forKubernetes(facts)];
  return [
    ...forLoad(facts),
    ...forProcess(facts),
    ...forQueue(facts),
    ...forKubernetes(facts),
    ...forTests(facts),
    ...forInstalling(facts),
  ];
}

const NEEDED: Purpose[] = ['load', 'process'];

/** Nothing that loading n8n cannot do without is missing; in a checkout that includes starting it. */
export function isReady(checks: DoctorCheck[]): boolean {
  return checks.every(({ purpose, state }) => !NEEDED.includes(purpose) || state !== 'missing');
}

function forLoad(facts: Facts): DoctorCheck[] {
  const add = adder('load');
  return [
    add('node', major(facts.node) >= MIN_NODE_MAJOR, facts.node, {
      missing: `this command needs Node.js ${String(MIN_NODE_MAJOR)} or later`,
    }),
    program(add, 'k6', facts.programs.k6, { missing: howToGetK6(facts.hasLab) }, MIN_K6),
  ];
}

/** For the doctor, and for a command that finds no k6. */
export function howToGetK6(hasLab: boolean): string {
  return hasLab
    ? 'lab/install.sh k6'
    : `install k6 ${MIN_K6} or later: https://grafana.com/docs/k6/latest/set-up/install-k6/`;
}

function withoutLab(): DoctorCheck {
  return adder('process')('checkout', false, 'none', {
    absent: 'to start n8n on this machine, clone n8n-tuned, and run make lab in the checkout',
  });
}

function forProcess(facts: Facts): DoctorCheck[] {
  const { platform, arch, cores, memoryMiB, programs, pinned } = facts;
  const add = adder('process');
  const isLinux = platform === 'linux' && arch === 'x64';
  return [
    add('platform', isLinux, `${platform} ${arch}, ${String(cores)} cores`, {
      missing: 'n8n-tuned can start n8n only on Linux on x86-64: use the target url or kubernetes',
    }),
    add('memory', memoryMiB >= MIN_MEMORY_MIB, `${gib(memoryMiB)} GiB`, {
      absent: `with less than ${gib(MIN_MEMORY_MIB)} GiB, n8n and the load generator disturb each other`,
    }),
    program(add, 'node 24', programs.node24, { missing: 'lab/install.sh node24' }),
    n8n(add, 'n8n', facts, pinned.n8n, { missing: 'lab/install.sh n8n' }),
    n8n(add, 'n8n < 1.0', facts, pinned.n8nLegacy, {
      absent: 'for workloads of n8n before 1.0: lab/install.sh n8n-legacy',
    }),
    program(add, 'node 18', programs.node18, {
      absent: 'runs n8n before 1.0: lab/install.sh node18',
    }),
    add(
      'limits',
      facts.limitsBy !== null,
      facts.limitsBy === null
        ? (facts.noLimitsReason ?? 'none')
        : `CPU and memory by control groups (${facts.limitsBy})`,
      {
        absent:
          'topologies and servers with CPU or memory limits cannot run: run the command as root',
      },
    ),
  ];
}

function forQueue({ programs }: Facts): DoctorCheck[] {
  const add = adder('queue');
  return [
    program(add, 'redis', programs['redis-server'], { missing: 'lab/install.sh redis' }),
    program(add, 'postgresql', programs.postgres, { missing: 'lab/install.sh postgresql' }),
    program(add, 'nginx', programs.nginx, {
      absent: 'distributes requests among processes: lab/install.sh nginx',
    }),
  ];
}

function forKubernetes(facts: Facts): DoctorCheck[] {
  const { programs, kubeconfig, hasLab } = facts;
  const add = adder('kubernetes');
  const helm = programs.helm3 ?? programs.helm4;
  const cluster = clusterAtHand(facts);
  return [
    program(add, 'kubectl', programs.kubectl, {
      missing: hasLab
        ? 'install kubectl, or run make cluster-up, which builds kubectl'
        : 'install kubectl',
    }),
    program(
      add,
      'helm',
      helm,
      { missing: hasLab ? 'lab/install.sh helm3' : `install Helm ${MIN_HELM} or later` },
      MIN_HELM,
    ),
    add(
      'cluster',
      cluster !== null,
      cluster ?? (kubeconfig === null ? 'none' : `${kubeconfig.path} does not exist`),
      {
        missing: hasLab
          ? 'run make cluster-up, or set N8N_TUNED_KUBECONFIG to a kubeconfig'
          : 'n8n-tuned doctor --target kubernetes checks the cluster of your kubeconfig',
      },
    ),
  ];
}

function clusterAtHand({
  kubeconfig,
  dockerRuns,
  programs,
  nativeClusterBuilt,
}: Facts): string | null {
  if (kubeconfig !== null) return kubeconfig.exists ? `the cluster of ${kubeconfig.path}` : null;
  if (dockerRuns && programs.kind !== null) return 'kind, in Docker';
  return nativeClusterBuilt ? 'the native cluster, already built' : null;
}

function forTests({ programs }: Facts): DoctorCheck[] {
  const add = adder('tests');
  return [
    program(add, 'helm 4', programs.helm4, { absent: 'lab/install.sh helm4' }),
    program(add, 'chromium', programs.chromium, { absent: 'lab/install.sh chromium' }),
  ];
}

function forInstalling({ programs, freeDiskMiB, isRoot, cache }: Facts): DoctorCheck[] {
  const add = adder('installing');
  return [
    program(add, 'npm', programs.npm, {
      missing: 'install Node.js 20 or later with npm, which n8n-tuned uses to install n8n',
    }),
    program(
      add,
      'go',
      programs.go,
      { missing: `install Go ${MIN_GO} or later: k6 and Helm are built with it` },
      MIN_GO,
    ),
    add('disk', freeDiskMiB >= MIN_FREE_MIB, `${gib(freeDiskMiB)} GiB free for ${cache}`, {
      missing: `installing needs ${gib(MIN_FREE_MIB)} GiB: free some space, or set N8N_TUNED_CACHE`,
    }),
    add('root', isRoot, isRoot ? 'yes' : 'no', {
      absent: 'only root can install system packages',
    }),
  ];
}

type Advice = { missing: string } | { absent: string };
type Add = (name: string, ok: boolean, found: string, advice: Advice) => DoctorCheck;

function adder(purpose: Purpose): Add {
  return (name, ok, found, advice) => {
    const [state, text] =
      'missing' in advice
        ? (['missing', advice.missing] as const)
        : (['absent', advice.absent] as const);
    return { purpose, name, found, state: ok ? 'ok' : state, advice: ok ? null : text };
  };
}

function program(
  add: Add,
  name: string,
  found: Program | null,
  advice: Advice,
  from?: string,
): DoctorCheck {
  if (found === null) return add(name, false, 'not found', advice);
  const { path, version } = found;
  const isOld = from !== undefined && version !== null && compareVersions(version, from) < 0;
  return add(
    name,
    !isOld,
    isOld ? `${version} at ${path} is older than ${from}` : `${version ?? ''} ${path}`.trim(),
    advice,
  );
}

function n8n(add: Add, name: string, facts: Facts, version: string, advice: Advice): DoctorCheck {
  const isHere = facts.n8nVersions.includes(version);
  return add(name, isHere, isHere ? version : `${version} is not installed`, advice);
}

function major(version: string): number {
  return Number.parseInt(version.replace(/^v/, ''), 10);
}

const gib = (mib: number): string => formatNumber(mib / 1024);
