/**
 * Which option goes with what: with which target, and within one target with which other options. An option that
 * a call cannot apply is refused by its name, in one place for every command.
 */
import type { Command, Option } from 'commander';
import { PROFILES } from '../../../loadtests/lib/profile';
import { isWorkloadFile } from '../plan/chosen-workload';
import { isLoopback } from '../targets/url/needs';
import { Mistake } from '../ui/exit';

/** What a command is asked to do. */
export interface Call {
  command: string;
  /** Without options. */
  args: readonly unknown[];
  /** Kinds of all that it works on; empty where the command knows no targets, `records` of those it only reads. */
  targets: readonly string[];
  options: Readonly<Record<string, unknown>>;
}

interface Rule {
  /** The options, by the names of their values; or all but these. */
  options: readonly string[] | { but: readonly string[] };
  /** Which commands; left out: all. */
  of?: readonly string[];
  /** In words: what they go with. */
  with: string;
  /** The targets with which the options go, if the target decides. */
  targets?: readonly string[];
  applies(call: Call): boolean;
}

const CLUSTER = ['kubeconfig', 'context', 'namespace', 'protect'];
const DEPLOY = ['release', 'deployTimeout', 'generatorImage', 'generators', 'via', 'viaAddress'];
const OF_CONTAINERS = ['image', 'redisImage', 'postgresImage', 'runnersImage', 'containerEngine'];
const OF_QUEUES = ['workers', 'concurrency', 'webhooks'];
/** Options that only n8n has; the others apply to every server. */
const OF_N8N = ['n8n', 'mode', 'process', 'database', ...OF_QUEUES, 'heap', 'tuning'];
const LIMITS = ['topology', 'cpu', 'memory', 'env'];
const MEASURED_HERE = ['process', 'container', 'server'];
const RECORDED = ['metric', 'cpuPrice', 'memoryPrice', 'json'];
const DEPLOYING = ['run', 'find', 'up', 'drill', 'doctor'];

/** One row per thing that decides; an option that is in several goes with all of them. */
export const RULES: readonly Rule[] = [
  // Targets.
  {
    options: ['url', 'command', 'metricsUrl', 'standIn'],
    of: ['up'],
    ...{ with: 'run and find, because up starts n8n itself', applies: () => false },
  },
  {
    options: ['command'],
    of: ['drill'],
    ...{ with: 'run and find, because a drill always loads n8n', applies: () => false },
  },
  { options: OF_CONTAINERS, ...on('container') },
  { options: ['compose'], of: DEPLOYING, ...on('container') },
  {
    options: ['topology'],
    of: DEPLOYING,
    ...{ with: 'a deployment that --compose does not already define', applies: lacks('compose') },
  },
  { options: [...CLUSTER, ...DEPLOY], ...on('kubernetes') },
  {
    options: ['yes'],
    of: [...DEPLOYING, 'compare', 'recommend'],
    ...on('kubernetes', 'url', 'server'),
  },
  // A server of a plan is started on this machine.
  { options: ['yes'], of: ['sweep'], ...on('process', 'kubernetes') },
  { options: ['existing', 'values', 'chart'], of: DEPLOYING, ...on('kubernetes') },
  { options: ['metricsUrl', 'standIn'], ...on('url') },
  { options: ['stopIf'], ...on('url', 'kubernetes') },
  { options: ['command'], ...on('server') },
  {
    options: ['waitForQuiet', 'anyway'],
    ...{ with: '--target process, container or server, or an n8n at an address of this machine' },
    targets: [...MEASURED_HERE, 'url'],
    applies: (call) =>
      isOn(...MEASURED_HERE)(call) || [call.options['url'], ...call.args].some(isOfThisMachine),
  },
  { options: ['url'], of: DEPLOYING, ...on('url', 'server') },
  { options: LIMITS, ...on('process', 'container', 'kubernetes', 'server') },
  { options: OF_N8N, ...on('process', 'container', 'kubernetes') },
  { options: ['n8nProgram'], ...on('process') },
  { options: ['process'], ...on('process', 'kubernetes') },
  { options: ['variant', 'workflow'], ...on('process', 'container', 'kubernetes', 'url') },
  {
    options: ['target'],
    of: ['compare'],
    ...{ with: 'a topology or values', applies: isOn('process', 'container', 'kubernetes') },
  },
  // Within the target kubernetes.
  {
    options: [...LIMITS, ...OF_N8N, 'values', 'chart'],
    of: ['run', 'find', 'up', 'drill'],
    with: 'a new deployment, because --existing does not change the release',
    applies: ({ options }) => options['existing'] !== true,
  },
  {
    options: [...LIMITS, ...OF_N8N],
    of: ['run', 'find', 'up', 'drill'],
    with: 'a topology, because --values or --chart already defines the deployment',
    applies: lacks('values', 'chart'),
  },
  {
    options: ['viaAddress'],
    with: '--via ingress or gateway',
    applies: ({ options }) =>
      !['service', undefined].includes(options['via'] as string | undefined),
  },
  // What is loaded.
  {
    options: ['variant', 'param'],
    ...{ with: '--workload, not with your own request', applies: (call) => !isRequest(call) },
  },
  {
    options: ['expect', 'idAt'],
    ...{ with: '--request, --workflow or a webhook in --url', applies: isRequest },
  },
  {
    options: ['body'],
    with: '--request, --workflow, a workload file or a webhook in --url',
    applies: (call) => isRequest(call) || isWorkloadFile(textOf(call.options['workload'])),
  },
  // How it is loaded.
  { options: ['rate'], of: ['run', 'compare'], ...withLoop('open') },
  { options: ['vus'], ...withLoop('closed') },
  {
    options: ['arrivals'],
    of: ['run', 'compare'],
    ...withLoop('open'),
    applies: (call) => isCapacity(call) || loopOf(call) === 'open',
  },
  {
    options: ['out'],
    of: ['find'],
    ...{ with: 'a new search, not with --continue', applies: lacks('continue') },
  },
  // A question about one rate.
  {
    options: [
      ...['probe', 'full', 'continue', 'cpuPrice', 'memoryPrice'],
      ...['precision', 'gentle', 'maxClients', 'speed'],
    ],
    of: ['find'],
    ...{ with: 'a search, not with --rate, which tests a single rate', applies: lacks('rate') },
  },
  // A comparison.
  {
    options: { but: RECORDED },
    of: ['compare'],
    with: 'sides that are measured, not with records',
    applies: ({ targets }) => !targets.includes('records'),
  },
  {
    options: ['profile', 'rate', 'vus', 'duration', 'warmup', 'duet'],
    of: ['compare'],
    with: 'metrics that are measured in runs, not with --metric capacity, which is measured in searches',
    applies: (call) => !isCapacity(call),
  },
  {
    options: ['probe', 'full', 'findBudget'],
    of: ['compare'],
    ...{ with: '--metric capacity', applies: isCapacity },
  },
  // A prediction.
  {
    options: ['over', 'group'],
    of: ['predict'],
    ...{
      with: '--at, not with --at-cpu',
      applies: lacks('atCpu'),
    },
  },
  // A recommendation.
  {
    options: [...['from', 'write', 'attempts', 'cpuPrice', 'memoryPrice'], ...keeping()],
    of: ['recommend'],
    ...{
      with: 'a recommendation, not with --values, which tests your file unchanged',
      applies: lacks('values'),
    },
  },
  {
    options: ['findBudget'],
    of: ['recommend'],
    ...{ with: 'a search, not with --from or --values', applies: lacks('from', 'values') },
  },
  { options: ['duration', 'attempts'], of: ['recommend'], with: '--prove', applies: has('prove') },
  {
    options: [
      ...['param', 'variant', 'header', 'body', 'expect', 'idAt', 'workflow'],
      ...['timeout', 'drain', 'ready', 'out', 'target', 'yes'],
      ...['waitForQuiet', 'anyway', ...OF_CONTAINERS, ...CLUSTER, ...DEPLOY],
    ],
    of: ['recommend'],
    with: '--prove or a search, because --from alone only reads records',
    applies: (call) => has('prove')(call) || lacks('from')(call),
  },
  // Others.
  {
    options: ['waitForQuiet', 'anyway'],
    of: ['sweep'],
    ...{ with: 'a sweep that measures, not with --dry-run', applies: lacks('dryRun') },
  },
  {
    options: ['target', 'kubeconfig', 'context', 'namespace'],
    of: ['clean'],
    ...{ with: 'a cluster, not with --url', applies: lacks('url') },
  },
  { options: ['elsewhere'], of: ['clean'], ...on('kubernetes') },
  { options: { but: ['json'] }, of: ['drill'], with: 'a fault', applies: isDrill },
  {
    options: ['begin', 'end', 'proof'],
    of: ['drill'],
    ...{ with: 'the custom fault', applies: ({ args }) => args[0] === 'custom' },
  },
  { options: ['recoverAge'], of: ['drill'], with: '--recover', applies: has('recover') },
  { options: ['prefix'], of: ['recover'], with: '--redis', applies: has('redis') },
  {
    options: ['atOnce', 'stopAfter', 'wait'],
    of: ['recover'],
    ...{ with: '--retry', applies: has('retry') },
  },
  {
    options: ['list', 'part', 'within', 'atOnce', 'quick', 'keep', 'out'],
    of: ['study'],
    ...{ with: 'the name of a study', applies: ({ args }) => args[0] !== undefined },
  },
  {
    options: ['part', 'within', 'atOnce', 'out'],
    of: ['study'],
    ...{ with: 'a study that runs, not with --list', applies: lacks('list') },
  },
  {
    options: ['memoryPrice'],
    of: ['run', 'find', 'compare', 'drill'],
    ...{ with: '--cpu-price', applies: has('cpuPrice') },
  },
  {
    options: ['prometheusNamespace', 'prometheusRelease'],
    ...{ with: '--prometheus', applies: has('prometheus') },
  },
];

function on(...targets: string[]): Pick<Rule, 'with' | 'targets' | 'applies'> {
  return { with: `--target ${listed(targets, 'or')}`, targets, applies: isOn(...targets) };
}

function isOn(...kinds: string[]) {
  return ({ targets }: Call): boolean =>
    targets.length === 0 || targets.some((target) => kinds.includes(target));
}

function has(name: string) {
  return ({ options }: Call): boolean => options[name] !== undefined && options[name] !== false;
}

function lacks(...names: string[]) {
  return (call: Call): boolean => names.every((name) => !has(name)(call));
}

function isServer({ targets }: Call): boolean {
  return targets.length > 0 && targets.every((target) => target === 'server');
}

/** Whether it is a request of the user's that is loaded: named, in the address, of a workflow of theirs, or a server's. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function isRequest(call: Call): boolean {
  if (has('request')(call) || [call.options['url'], ...call.args].some(isWebhook)) return true;
  return lacks('workload')(call) && (isServer(call) || has('workflow')(call));
}

const isOfThisMachine = (url: unknown): boolean => typeof url === 'string' && isLoopback(url);

const isWebhook = (text: unknown): boolean =>
  typeof text === 'string' && /^https?:\/\/.*\/(webhook|webhook-waiting|form|mcp)\/./.test(text);

function isCapacity({ options }: Call): boolean {
  return options['metric'] === 'capacity';
}

function isDrill({ args }: Call): boolean {
  return args[0] !== 'list';
}

function keeping(): string[] {
  return ['keepDays', 'executionSize', 'executionsPerDay'];
}

function withLoop(loop: 'open' | 'closed'): Pick<Rule, 'with' | 'applies'> {
  const names = Object.entries(PROFILES).flatMap(([name, profile]) =>
    profile.loop === loop ? [name] : [],
  );
  return { with: `--profile ${listed(names, 'or')}`, applies: (call) => loopOf(call) === loop };
}

function loopOf({ options }: Call): string | undefined {
  const name = options['profile'] as keyof typeof PROFILES | undefined;
  return name === undefined ? undefined : PROFILES[name].loop;
}

function listed(words: readonly string[], last: 'and' | 'or'): string {
  const first = words.slice(0, -1).join(', ');
  return first === '' ? (words[0] ?? '') : `${first} ${last} ${words.at(-1) ?? ''}`;
}

const isOf = ({ of }: Rule, command: string): boolean => of?.includes(command) ?? true;

const names = ({ options }: Rule, name: string): boolean =>
  'but' in options ? !options.but.includes(name) : options.includes(name);

/** Commands that do not work on every target. */
const WORKS_ON: Record<string, readonly string[]> = {
  up: ['process', 'container', 'kubernetes'],
  drill: ['process', 'container', 'kubernetes', 'url'],
};

/** The heading below which options stand that say where n8n runs. */
export const WHERE = 'Target:';

/**
 * Help lists an option that not every target of its command takes below the targets that do, and none that no target
 * takes. Options of another heading say in brackets what they go with.
 */
export function groupByTarget(command: Command): void {
  const choices = command.options.find(({ long }) => long === '--target')?.argChoices ?? [];
  const kinds = choices.filter((kind) => WORKS_ON[command.name()]?.includes(kind) ?? true);
  for (const option of command.options) {
    if (option.long === '--target' && kinds.length < choices.length) narrow(option, kinds);
    const rules = RULES.filter(
      (rule) => isOf(rule, command.name()) && names(rule, option.attributeName()),
    );
    const takes = kinds.filter((kind) =>
      rules.every(({ targets }) => targets?.includes(kind) ?? true),
    );
    if (takes.length === kinds.length) continue;
    const goesWith = `--target ${listed(takes, 'or')}`;
    if (takes.length === 0) option.hideHelp();
    else if (option.helpGroupHeading === WHERE) option.helpGroup(`With ${goesWith}:`);
    else option.description = noted(option.description, `with ${goesWith}`);
  }
}

/** A target of another kind is neither shown nor taken. Its description has one part for each kind. */
function narrow(option: Option, kinds: readonly string[]): void {
  option.choices([...kinds]).description = option.description
    .split('; ')
    .filter((part) => kinds.some((kind) => part.startsWith(`${kind}:`)))
    .join('; ');
}

/** In brackets behind it, or in those that it ends with. */
const noted = (text: string, note: string): string =>
  text.endsWith(')') ? `${text.slice(0, -1)}; ${note})` : `${text} (${note})`;

/** Refuses what is given and cannot be applied. Commands whose arguments say what they work on tell the targets. */
export function refuseVain(command: Command, targets?: readonly string[]): void {
  const options = command.opts();
  const target = options['target'] as string | undefined;
  const call: Call = {
    ...{ command: command.name(), args: command.args, options },
    targets: targets ?? (target === undefined ? [] : [target]),
  };
  // What is named in the environment, or follows from another option, is no word of this call.
  const given = command.options.filter(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  const broken = RULES.filter((rule) => isOf(rule, call.command) && !rule.applies(call));
  const vain = new Map<Rule, string[]>();
  for (const option of given) {
    const rule = broken.find((each) => names(each, option.attributeName()));
    if (rule !== undefined) vain.set(rule, [...(vain.get(rule) ?? []), flagOf(option)]);
  }
  if (vain.size > 0) throw new Mistake(sentence([...vain], call));
}

const flagOf = ({ long, flags }: Option): string => long ?? flags;

function sentence(vain: readonly (readonly [Rule, string[]])[], { targets }: Call): string {
  const parts = vain.map(
    ([rule, flags]) =>
      `${listed([...new Set(flags)], 'and')} ${flags.length > 1 ? 'work' : 'works'} only with ${rule.with}`,
  );
  const [[first, flags] = []] = vain;
  const isOne = vain.length === 1 && flags?.length === 1;
  const it = isOne ? (flags[0] ?? '') : 'them';
  // An address in place of a target has been a choice, which is not to be taken back.
  const isTarget = first?.targets !== undefined && targets.length > 0;
  const where = isTarget ? `, not with --target ${listed(targets, 'and')}` : '';
  const canAdd = vain.length === 1 && /^--[\w-]+( \S+)?$/.test(first?.with ?? '');
  return `${listed(parts, 'and')}${where}: ${canAdd ? `add ${first?.with ?? ''}, or ` : ''}remove ${it}.`;
}
