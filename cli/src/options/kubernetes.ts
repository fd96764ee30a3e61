/** Options of the target kubernetes, and when a cluster may be production. */
import { isIPv6 } from 'node:net';
import { WHERE } from './applies';
import { withContainerOptions, type ContainerFlags } from './container';
import { type Command, Option } from 'commander';
import type { SeedWorkflow } from '../catalogue/seeding';
import { pinned, readVersions } from '../lab/paths';
import { isReleaseName, readChartFile } from '../plan/chart-file';
import { chooseTopology, type TopologyChoice } from '../plan/chosen-topology';
import { contradiction } from '../plan/topology';
import { valuesOfTopology } from '../plan/chart-values';
import type { Deployer } from '../targets/deploy';
import { kubernetesTarget } from '../targets/kubernetes/kubernetes-target';
import type { KubernetesOptions } from '../targets/kubernetes/release/options';
import type { Target } from '../targets/target';
import { WAYS, type EntryPoint, type Way } from '../targets/kubernetes/release/ingress';
import { publicAddresses } from '../targets/url/private-address';
import { needsConfirmation } from '../targets/kubernetes/objects/production';
import { messageOf, Mistake } from '../ui/exit';
import { warn } from '../ui/print';
import { ask, askForHost, type Consent } from './ask';
import { collect, countFrom1, milliseconds, parsed } from './parsers';
import { readPlainFile } from '../linux/plain-file';

/** Which cluster, for every command that reaches one. */
export interface ClusterFlags {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  protect?: string[];
  yes?: boolean;
}

/** How anything is deployed and loaded there. */
export interface DeployFlags extends ClusterFlags {
  release?: string;
  /** Milliseconds. */
  deployTimeout?: number;
  generatorImage?: string;
  generators?: number;
  via?: Way;
  viaAddress?: string;
}

export interface KubernetesFlags extends DeployFlags {
  existing?: boolean;
  /** A file. */
  chart?: string;
  values?: string[];
}

export function withClusterOptions(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'path of the kubeconfig (default: $KUBECONFIG, or ~/.kube/config)',
    )
    .option('--context <name>', 'kubeconfig context (default: the current context)')
    .option(
      '--namespace <name>',
      'namespace (default: a new namespace, which is removed afterwards)',
    )
    .option(
      '--protect <context>',
      'ask before loading this context (* is a wildcard); repeatable',
      collect,
    )
    .option('--yes', 'for scripts: do not ask before load-testing a possible production system');
}

export function withDeployOptions(command: Command): Command {
  return withClusterOptions(command)
    .option(
      '--release <name>',
      'release name (default: a new name for each call; required with --existing)',
    )
    .addOption(
      parsed(
        '--deploy-timeout <time>',
        'maximum time to wait until all pods are ready (default: 10m)',
        milliseconds,
      ),
    )
    .option('--generator-image <image>', 'k6 image (default: docker.io/grafana/k6)')
    .addOption(
      parsed(
        '--generators <count>',
        'number of pods that generate the load (default: 1)',
        countFrom1,
      ),
    )
    .addOption(new Option('--via <way>', 'route of the requests (default: service)').choices(WAYS))
    .option(
      '--via-address <address>',
      'address of the Ingress or Gateway (default: from its status, otherwise from DNS)',
    );
}

/** The targets on which a topology can be deployed. */
export const DEPLOYED_TO = ['process', 'container', 'kubernetes'] as const;

/** For what deploys topologies that are not named one by one. */
export interface DeployerFlags extends DeployFlags, ContainerFlags {
  target: (typeof DEPLOYED_TO)[number];
}

export function withDeployerOptions(command: Command): Command {
  return withDeployOptions(
    withContainerOptions(
      command
        .optionsGroup(WHERE)
        .addOption(
          new Option(
            '--target <kind>',
            'process: n8n on this machine; container: n8n from an image, on this machine; kubernetes: n8n in a cluster',
          )
            .choices(DEPLOYED_TO)
            .default('process'),
        ),
    ),
  );
}

/** The option --target of a command that works on clusters only. */
export const clusterTargetOption = (text: string): Option =>
  new Option('--target <kind>', text).choices(['kubernetes']);

export function withKubernetesOptions(command: Command): Command {
  return withDeployOptions(command)
    .option('--existing', 'load-test an existing release without deploying anything')
    .option('--values <file>', 'a chart values file, instead of a topology; repeatable', collect)
    .option('--chart <file>', 'a file that describes another chart (docs/kubernetes.md)');
}

/** What a cluster is asked, and of which contexts the user is asked first. */
export type KubernetesOrder = Omit<KubernetesOptions, 'confirm' | 'confirmAddress' | 'warn'> &
  Pick<Required<ClusterFlags>, 'protect' | 'yes'>;

export const clusterTarget = ({ protect, yes, ...order }: KubernetesOrder): Target =>
  kubernetesTarget({
    ...order,
    confirm: (cluster) => confirm(cluster, { protect, yes }),
    confirmAddress: (entryPoint) => confirmAddress(entryPoint, { yes }),
    warn,
  });

const DEPLOY_TIMEOUT_MS = 600_000;

export function kubernetesOptions(
  flags: KubernetesFlags & TopologyChoice & { generatorCpus?: number },
  workflows: readonly SeedWorkflow[],
  readyTimeoutMs: number,
): KubernetesOrder {
  const { values = [], existing = false, chart } = flags;
  if (existing && flags.namespace === undefined) {
    throw new Mistake('--existing requires --namespace, the namespace of the release.');
  }
  if (existing && flags.release === undefined) {
    throw new Mistake(
      `--existing requires --release, the name of the release: helm list --namespace ${flags.namespace ?? ''} shows the existing releases.`,
    );
  }
  return {
    ...clusterOrder(flags),
    how: existing ? 'existing' : 'deploy',
    topology: existing || values.length > 0 || chart !== undefined ? null : chooseTopology(flags),
    chart: chart === undefined ? null : readChartFile(chart),
    values: givenValues(values),
    readyTimeoutMs,
    workflows,
    generatorCores: flags.generatorCpus ?? null,
  };
}

/** For a caller that has the topologies already. */
export const onKubernetes = (order: ReturnType<typeof clusterOrder>): Deployer => ({
  loadsFromHere: false,
  cannot: (topology) => {
    try {
      valuesOfTopology(topology);
      return contradiction(topology);
    } catch (error) {
      return messageOf(error).replace(/\.$/, '');
    }
  },
  deploy: ({ topology, values, workflows, readyTimeoutMs }) =>
    clusterTarget({
      ...order,
      how: 'deploy',
      topology: values === undefined ? topology : null,
      chart: null,
      values: values === undefined ? [] : [{ name: 'the values', text: values }],
      readyTimeoutMs,
      workflows,
      generatorCores: null,
    }),
});

export const clusterOrder = (flags: DeployFlags) => ({
  kubeconfig: flags.kubeconfig ?? null,
  context: flags.context ?? null,
  namespace: named('--namespace', flags.namespace, isNamespaceName),
  release: named('--release', flags.release, isReleaseName),
  deployTimeoutMs: flags.deployTimeout ?? DEPLOY_TIMEOUT_MS,
  generatorImage: flags.generatorImage ?? defaultImage(),
  generators: flags.generators ?? 1,
  via: flags.via ?? 'service',
  viaAddress: flags.viaAddress ?? null,
  protect: flags.protect ?? [],
  yes: flags.yes ?? false,
});

const isNamespaceName = (name: string): boolean =>
  name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name);

/** Helm and the API server would say it later and less well, or take it for an option. */
function named(
  option: string,
  name: string | undefined,
  isName: (name: string) => boolean,
): string | null {
  if (name === undefined) return null;
  if (isName(name)) return name;
  throw new Mistake(
    `${option} ${JSON.stringify(name)}: expected lower-case letters, digits and dashes, with no dash at the beginning or the end.`,
  );
}

export const givenValues = (files: readonly string[]): { name: string; text: string }[] =>
  files.map((name) => ({ name, text: textOf(name) }));

function textOf(file: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new Mistake(`the values file ${file} cannot be read: ${messageOf(error)}.`);
  }
}

const defaultImage = (): string => `docker.io/grafana/k6:${pinned(readVersions(), 'K6_IMAGE_TAG')}`;

/** Rejects unless the user names the context, where it may be production. */
export async function confirm(
  cluster: { context: string; server: string },
  { protect = [], ...consent }: ClusterFlags,
): Promise<void> {
  const { context, server } = cluster;
  if (!needsConfirmation({ context, server, protect })) return;
  const why = `context ${context} (${server}) may be production`;
  await ask({ words: [context], kind: 'name of the context', why }, consent);
}

/** Rejects unless the user names the host, where the way into a cluster leads to a public address. */
export async function confirmAddress(
  { baseUrl, hosts }: EntryPoint,
  consent: Consent,
): Promise<void> {
  // Pods may know the name even if this machine does not.
  if (consent.yes === true) return;
  const { host } = new URL(baseUrl);
  const [address] = Object.values(hosts);
  const at =
    address === undefined ? baseUrl : `http://${isIPv6(address) ? `[${address}]` : address}`;
  const isKnown = await publicAddresses(at).then(
    () => true,
    () => false,
  );
  if (isKnown) {
    await askForHost(baseUrl, 'the load', consent, at);
    return;
  }
  const why = `the address of ${host} is not known, and it would receive the load`;
  await ask({ words: [host], kind: 'name of the host', why }, consent);
}
