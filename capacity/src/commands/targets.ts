import { chooseServer, serverLoad, withoutWorkflows } from '../plan/chosen-server';
import { chooseTopology } from '../plan/chosen-topology';
import type { ChosenWorkload } from '../plan/chosen-workload';
import type { KubernetesOptions } from '../targets/kubernetes/options';
import { kubernetesTarget } from '../targets/kubernetes/kubernetes-target';
import { topologyOfValues } from '../targets/kubernetes/values';
import { processTarget, type ProcessTargetOptions } from '../targets/process/process-target';
import { isLegacy } from '../plan/limits';
import { onThisMachine, type Deployer } from '../targets/deploy';
import type { Target } from '../targets/target';
import type { SeedWorkflow } from '../catalogue/seeding';
import { serverTarget } from '../targets/server/server-target';
import { urlTarget } from '../targets/url/url-target';
import { Mistake } from '../ui/exit';
import { warn } from '../ui/print';
import { askForHost } from './ask';
import {
  givenValues,
  kubernetesOptions,
  onKubernetes,
  refuseDeployFlags,
  refuseKubernetesFlags,
  type DeployerFlags,
} from './kubernetes';
import { chosenWorkload, type TargetOptions, type WorkloadOptions } from './options';

/** What a fault needs of a target, of those that know it. */
type ForDrill = Pick<ProcessTargetOptions, 'hasLinks' | 'hasSmallDisk' | 'hasReadiness'> &
  Pick<KubernetesOptions, 'hasForgetfulRedis'>;

/** What the user is told before a host that may be production is loaded. */
interface ForUser {
  /** What it would get, in words. */
  load: string;
}

export function chosenTarget(
  options: TargetOptions,
  workflows: readonly SeedWorkflow[],
  readyTimeoutMs: number,
  { load, hasForgetfulRedis, ...forDrill }: ForDrill & ForUser,
): Target {
  if (options.target === 'server') {
    refuseKubernetesFlags(options);
    refuseUrlFlags(options);
    return serverTarget({ server: chooseServer(options), folder: process.cwd(), readyTimeoutMs });
  }
  if (options.command !== undefined) {
    throw new Mistake(
      `--command goes with --target server, not with ${options.target}: leave one of them out.`,
    );
  }
  if (options.target === 'url') {
    if (options.url === undefined) {
      throw new Mistake('--target url needs --url, like --url http://127.0.0.1:5678.');
    }
    const apiKey = process.env['N8N_API_KEY'];
    const own = workflows.filter(({ loads }) => loads !== undefined);
    if (own.length > 0 && apiKey === undefined) {
      throw new Mistake(
        `--workflow ${own.map(({ name }) => name).join(' ')} needs the API of the n8n at ${options.url}: set N8N_API_KEY in the environment, or import and activate it there and leave --workflow out.`,
      );
    }
    return urlTarget({
      url: options.url,
      readyTimeoutMs,
      apiKey,
      metrics: options.metricsUrl ?? [],
      confirm: (url) => askForHost(url, load, options),
      warn,
    });
  }
  if (options.target === 'kubernetes') {
    refuseUrls(options);
    const { hasLinks } = forDrill;
    return kubernetesTarget({
      ...kubernetesOptions(options, workflows, readyTimeoutMs),
      ...(hasLinks === undefined ? {} : { hasLinks }),
      ...(hasForgetfulRedis === undefined ? {} : { hasForgetfulRedis }),
    });
  }
  refuseUrls(options);
  refuseKubernetesFlags(options);
  return processTarget({
    topology: chooseTopology(options),
    workflows,
    readyTimeoutMs,
    ...forDrill,
  });
}

/** What is loaded: a workload of n8n's, or what a server answers. */
export function chosenLoad(options: TargetOptions & WorkloadOptions): ChosenWorkload {
  if (options.target !== 'server') {
    return chosenWorkload(options, isLegacyChoice(options));
  }
  const load = serverLoad(chooseServer(options).url, options);
  return withoutWorkflows(chosenWorkload({ ...options, ...load }, false));
}

function refuseUrlFlags({ metricsUrl }: TargetOptions): void {
  if (metricsUrl === undefined) return;
  throw new Mistake('--metrics-url goes with --target url: add that, or leave --metrics-url out.');
}

function refuseUrls(options: TargetOptions): void {
  refuseUrlFlags(options);
  if (options.url !== undefined) {
    throw new Mistake('--url goes with --target url: add that, or leave --url out.');
  }
}

/** Whether the workload must be that of n8n below 1.0. */
export function isLegacyChoice(options: TargetOptions): boolean {
  const version = chosenVersion(options);
  return version !== null && isLegacy(version);
}

/** Of the n8n that is deployed; null where what runs is not of our choice. */
function chosenVersion(options: TargetOptions): string | null {
  const { target, values, chart, existing } = options;
  if (target === 'process') return chooseTopology(options).n8n;
  if (target !== 'kubernetes' || chart !== undefined || existing === true) return null;
  return values === undefined
    ? chooseTopology(options).n8n
    : topologyOfValues(givenValues(values)).n8n;
}

/** Where topologies are deployed to that are not named one by one: by a sweep, a comparison, a recommendation. */
export function chosenDeployer({ target, ...flags }: DeployerFlags): Deployer {
  if (target === 'kubernetes') return onKubernetes(flags);
  refuseDeployFlags(flags);
  return onThisMachine;
}
