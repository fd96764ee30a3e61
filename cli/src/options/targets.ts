import { resolve } from 'node:path';
import { chooseServer, serverLoad, withoutWorkflows } from '../plan/chosen-server';
import { chooseTopology } from '../plan/chosen-topology';
import type { ChosenWorkload } from '../plan/chosen-workload';
import { topologyOfValues } from '../targets/kubernetes/release/values';
import type { KubernetesOptions } from '../targets/kubernetes/release/options';
import { processTarget, type ProcessTargetOptions } from '../targets/process/process-target';
import { isLegacy } from '../plan/topology';
import { onThisMachine, type Deployer } from '../targets/deploy';
import type { Target } from '../targets/target';
import type { SeedWorkflow } from '../catalogue/seeding';
import { serverTarget, type ServerTargetOptions } from '../targets/server/server-target';
import { urlTarget, type UrlTargetOptions } from '../targets/url/url-target';
import { Mistake } from '../ui/exit';
import { warn } from '../ui/print';
import {
  containerTarget,
  type ContainerTargetOptions,
} from '../targets/container/container-target';
import { addressOf } from '../targets/url/address';
import { imagesOf, inContainers, topologyInImage, withComposeImages } from './container';
import { askForHost, type Consent } from './ask';
import {
  clusterOrder,
  clusterTarget,
  givenValues,
  kubernetesOptions,
  onKubernetes,
  type DeployerFlags,
  type KubernetesOrder,
} from './kubernetes';
import {
  chosenWorkload,
  type GeneratorOptions,
  type TargetOptions,
  type WorkloadOptions,
} from './options';

/** What a fault needs of a target, of those that know it. */
type ForDrill = Pick<
  ProcessTargetOptions,
  'hasLinks' | 'hasSmallDisk' | 'hasReadiness' | 'hasNames' | 'hasClock' | 'standbys'
> &
  Pick<KubernetesOptions, 'hasForgetfulRedis'>;

/** What a target is told: the same options give the same. */
export type TargetOrder =
  | ({ kind: 'process' } & ProcessTargetOptions)
  | ({ kind: 'container' } & ContainerTargetOptions)
  | ({ kind: 'kubernetes' } & KubernetesOrder)
  | ({ kind: 'url' } & UrlOrder)
  | ({ kind: 'server' } & Omit<ServerTargetOptions, 'confirm'> & ForUser & Required<Consent>);

type UrlOrder = Omit<UrlTargetOptions, 'confirm' | 'warn'> & ForUser & Required<Consent>;

/** What the user is told before a host that may be production is loaded. */
interface ForUser {
  /** What it would get, in words. */
  load: string;
}

export function targetOrder(
  options: TargetOptions & GeneratorOptions,
  workflows: readonly SeedWorkflow[],
  readyTimeoutMs: number,
  {
    load,
    hasForgetfulRedis,
    hasNames = false,
    hasClock = false,
    standbys = [],
    ...forDrill
  }: ForDrill & ForUser,
): TargetOrder {
  const kind = options.target;
  if (kind === 'server') {
    const { yes = false } = options;
    const server = chooseServer(options);
    return { kind, server, folder: process.cwd(), readyTimeoutMs, load, yes };
  }
  if (kind === 'url') return { kind, ...urlOrder(options, workflows, readyTimeoutMs, load) };
  if (kind === 'kubernetes') {
    const { hasLinks } = forDrill;
    return {
      kind,
      ...kubernetesOptions(options, workflows, readyTimeoutMs),
      ...(hasLinks === undefined ? {} : { hasLinks }),
      ...(hasForgetfulRedis === undefined ? {} : { hasForgetfulRedis }),
    };
  }
  if (kind === 'container') {
    const topology = topologyInImage(options);
    const { notes = [], runners, ...flags } = withComposeImages(options);
    const images = imagesOf({ ...flags, n8n: options.n8n }, runners);
    return { kind, ...images, notes, topology, workflows, readyTimeoutMs, ...forDrill };
  }
  const { n8nProgram } = options;
  return {
    ...{ kind, topology: chooseTopology(options), workflows, readyTimeoutMs, ...forDrill },
    ...{ hasNames, hasClock, standbys },
    ...(n8nProgram === undefined ? {} : { n8nProgram: resolve(n8nProgram) }),
  };
}

function urlOrder(
  { url, metricsUrl = [], standIn, yes = false }: TargetOptions,
  workflows: readonly SeedWorkflow[],
  readyTimeoutMs: number,
  load: string,
): UrlOrder {
  if (url === undefined) {
    throw new Mistake('--target url requires --url, such as --url http://127.0.0.1:5678.');
  }
  const apiKey = process.env['N8N_API_KEY'];
  const own = workflows.filter(({ loads }) => loads !== undefined);
  if (own.length > 0 && apiKey === undefined) {
    throw new Mistake(
      `--workflow ${own.map(({ name }) => name).join(' ')} requires the n8n API at ${url}: set N8N_API_KEY in the environment, or import and activate the workflow in n8n yourself and remove --workflow.`,
    );
  }
  return { url, readyTimeoutMs, apiKey, metrics: metricsUrl, standIn, load, yes };
}

export function makeTarget(order: TargetOrder): Target {
  switch (order.kind) {
    case 'process':
      return processTarget(order);
    case 'container':
      order.notes?.forEach(warn);
      return containerTarget(order);
    case 'kubernetes':
      return clusterTarget(order);
    case 'url':
      return urlTarget({
        ...order,
        confirm: (url) => askForHost(url, order.load, order),
        warn,
      });
    case 'server':
      return serverTarget({ ...order, confirm: (url) => askForHost(url, order.load, order) });
  }
}

/** With the webhook in --url as the request, where it has one; without it, as they are. */
export function withoutWebhook<Options extends TargetOptions & WorkloadOptions>(
  options: Options,
): Options {
  if (options.target !== 'url' || options.url === undefined) return options;
  const { baseUrl, path } = addressOf(options.url);
  if (path === null) return { ...options, url: baseUrl };
  const [other] = (['workload', 'workflow'] as const).filter((name) => options[name] !== undefined);
  if (other !== undefined) {
    throw new Mistake(
      `--url and --${other} both select what to load: use --url ${baseUrl}, or remove --${other}.`,
    );
  }
  const { request = `${options.body === undefined ? 'GET' : 'POST'} ${path}` } = options;
  if (request.trim().split(/\s+/)[1] !== path) {
    throw new Mistake(
      `--url contains the path ${path}, but --request is '${request}': use --url ${baseUrl}, or remove --request.`,
    );
  }
  return { ...options, url: baseUrl, request };
}

/** What is loaded: a workload of n8n's, or what a server answers. */
export function chosenLoad(options: TargetOptions & WorkloadOptions): ChosenWorkload {
  if (options.target !== 'server') {
    return chosenWorkload(options, chosenVersion(options));
  }
  const load = serverLoad(chooseServer(options).url, options);
  return withoutWorkflows(chosenWorkload({ ...options, ...load }, null));
}

/** Whether the workload must be that of n8n below 1.0. */
export function isLegacyChoice(options: TargetOptions): boolean {
  const version = chosenVersion(options);
  return version !== null && isLegacy(version);
}

/** The version of n8n that is deployed; null if the user's own n8n is loaded. */
export function chosenVersion(options: TargetOptions): string | null {
  const { target, values, chart, existing } = options;
  if (target === 'process') return chooseTopology(options).n8n;
  if (target === 'container') return topologyInImage(options).n8n;
  if (target !== 'kubernetes' || chart !== undefined || existing === true) return null;
  return values === undefined
    ? chooseTopology(options).n8n
    : topologyOfValues(givenValues(values)).n8n;
}

/** The target for topologies that are not named one by one, as in a sweep, a comparison or a recommendation. */
export function deployerOrder({ target, ...flags }: DeployerFlags) {
  if (target === 'kubernetes') return { target, ...clusterOrder(flags) };
  return target === 'container' ? { target, ...imagesOf(flags) } : { target };
}

export function chosenDeployer(flags: DeployerFlags): Deployer {
  const order = deployerOrder(flags);
  if (order.target === 'kubernetes') return onKubernetes(order);
  return order.target === 'container' ? inContainers(order) : onThisMachine;
}
