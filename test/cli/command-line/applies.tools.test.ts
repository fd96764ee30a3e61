/**
 * No option is ignored: whatever --help lists either changes what a command is going to do, on each target and in each
 * of its ways, or it is refused by its name. OPTIONS_TABLE=FILE writes down which of the two, for run.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { refuseVain } from '../../../cli/src/options/applies';
import {
  compareOrder,
  kindsOf,
  sidesOf,
  type CompareOptions,
} from '../../../cli/src/features/compare/command';
import { faultOf, orderOf, type DrillOptions } from '../../../cli/src/features/drill/one';
import { findOrder, type FindOptions } from '../../../cli/src/features/find/command';
import { askedBy, type RecommendOptions } from '../../../cli/src/features/recommend/command';
import { runOrder, type RunOptions } from '../../../cli/src/commands/run';
import { sweepOrder, type SweepOptions } from '../../../cli/src/features/sweep/command';
import { deployerOrder } from '../../../cli/src/options/targets';
import { upOrder, type UpOptions } from '../../../cli/src/commands/up';
import { Mistake } from '../../../cli/src/ui/exit';
import { isLong } from '../../support/properties';
import { sampleSearch } from '../../support/sample-find';
import { asked, optionsOf, type Ordered } from './asked';

const ROOT = join(__dirname, '../../..');
let folder: string;
const at = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'applies-'));
  mkdirSync(at('n8n/bin'), { recursive: true });
  writeFileSync(at('n8n/package.json'), '{ "name": "n8n", "version": "2.38.7" }');
  writeFileSync(at('n8n/bin/n8n'), '');
  for (const name of ['record', 'other-record']) {
    mkdirSync(at(name));
    writeFileSync(join(at(name), 'run.json'), '{}');
  }
  mkdirSync(at('search'));
  writeFileSync(join(at('search'), 'find.json'), JSON.stringify(sampleSearch()));
  const files = {
    'topology.yaml': 'image: { tag: 2.40.0 }\nmain: { resources: { limits: { cpu: 321m } } }\n',
    'other.yaml': 'executions: { mode: regular }\n',
    'server.yaml': 'command: node a.js\nurl: http://127.0.0.1:3000\n',
    'docker-compose.yml': "services: { n8n: { image: 'n8nio/n8n:2.38.7' } }\n",
    'limits.yaml': 'cpuMillicores: 123\n',
    'values.yaml': 'executions: { mode: queue }\n',
    'chart.yaml': 'chart: ./peer\n',
    'other-chart.yaml': 'chart: ./other\n',
    'other-values.yaml': 'executions: { mode: regular }\n',
    'plan.yaml':
      "slo: ['p95<1s']\nmeasure: { profile: load }\ndimensions: { workers: [1, 2] }\nquick: { duration: 5s }\n",
    'other-plan.yaml': "slo: ['p95<1s']\ndimensions: { workers: [3] }\n",
    'workload.yaml':
      "name: mine\ntitle: Mine\nstresses: It.\nanswers: when-done\nrequest: { method: POST, path: /mine, body: { text: '{n}' } }\nparameters: { n: { title: N, type: integer, default: 1 } }\nresponse: { expect: ['status==200'] }\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  process.env['N8N_API_KEY'] = 'a-key';
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  delete process.env['N8N_API_KEY'];
});

/** What is given to an option in a call that has it, other than its default; none: it is a switch. */
const VALUES: Record<string, string> = {
  ...{ workload: 'wait-5s', variant: 'load-target', param: 'n=7', request: 'POST /webhook/other' },
  ...{ header: 'X-Of-Ours: yes', body: '{"of":"ours"}', expect: 'status==201' },
  ...{ idAt: 'json.headers.x-load-id', workflow: join(ROOT, 'workflows/cpu.json') },
  ...{ url: 'http://127.0.0.1:5999', command: 'node other.js', target: 'kubernetes' },
  stopIf: 'http://127.0.0.1:5998/ fails for 11s',
  ...{ metricsUrl: 'http://127.0.0.1:5999/metrics', topology: '@topology.yaml', n8n: '2.39.9' },
  ...{ n8nProgram: '@n8n/bin/n8n', standIn: 'http://127.0.0.1:5997' },
  ...{ mode: 'queue', process: 'own', database: 'postgresql', workers: '3', concurrency: '7' },
  ...{ webhooks: '2', cpu: '700m', memory: '900Mi', heap: '300Mi', tuning: 'none', env: 'A=1' },
  ...{ image: 'n8nio/n8n:2.39.9', redisImage: 'redis:9', postgresImage: 'postgres:19' },
  ...{ runnersImage: 'n8nio/runners:2.39.9', containerEngine: 'docker' },
  ...{ kubeconfig: 'file', context: 'work', namespace: 'load', protect: 'prod*', release: 'mine' },
  ...{ deployTimeout: '3m', generatorImage: 'k6:mine', generators: '2', via: 'ingress' },
  ...{ viaAddress: '10.0.0.1', values: '@values.yaml', chart: '@chart.yaml', profile: 'spike' },
  ...{ rate: '7', vus: '3', duration: '11s', warmup: '3s', slo: 'p95<123ms', arrivals: 'random' },
  ...{ maxOpen: '9', generatorCpus: '0.7', timeout: '31s', drain: '17s', ready: '19s', out: 'o' },
  ...{ s3: 's3://bucket/prefix', prometheusRemoteWrite: 'http://p:9090/api/v1/write' },
  ...{ grafana: 'http://g:3000', cpuPrice: '2', memoryPrice: '3', probe: '7s', full: '33s' },
  ...{
    budget: '7m',
    findBudget: '5m',
    maxClients: '64',
    metric: 'p95',
    failOn: 'worse',
    pairs: '4',
    name: 'mine',
  },
  ...{ steady: '9s', for: '8s', every: '2s', after: '12s', recoverAge: '7s', promise: 'lost=5' },
  ...{
    wait: '99s',
    startFile: 'begin',
    file: '@other-plan.yaml',
    from: '@other-record',
    write: 'v.yaml',
  },
  ...{ attempts: '2', keepDays: '9', executionSize: '5Ki', executionsPerDay: '900' },
  ...{ redis: 'redis://127.0.0.1', prefix: 'b', tag: 't', age: '9m', since: '9h', backOff: '9m' },
  ...{ atOnce: '5', stopAfter: '5', saveOnError: 'none', saveOnSuccess: 'none' },
  ...{ saveOnProgress: 'true', prometheusNamespace: 'n', prometheusRelease: 'r', at: '3' },
  ...{ prometheus: 'http://p:9090', over: 'webhooks', group: '2', csv: 'c.csv', plot: 'p.svg' },
  ...{ pid: '1', interval: '3s', waitForQuiet: '7m', continue: '@search' },
  compose: '@docker-compose.yml',
  ...{
    precision: '7%',
    speed: 'median',
    begin: 'true',
    end: 'false',
    proof: 'date',
    seed: '7',
    retries: '2',
  },
};

const filled = (words: readonly string[]): string[] =>
  words.map((word) => (word.startsWith('@') ? at(word.slice(1)) : word));

const ORDERS: Record<string, Ordered> = {
  run: (command) => runOrder(command.opts<RunOptions>()),
  find: (command) => findOrder(command.opts<FindOptions>()),
  up: (command) => [upOrder(command.opts<UpOptions>()), shown(command), command.opts()['name']],
  drill: (command) =>
    command.args[0] === 'list'
      ? shown(command)
      : [
          orderOf(
            faultOf(command.args[0] ?? '', command.opts<DrillOptions>()),
            command.opts<DrillOptions>(),
          ),
          ...[command.opts()['begin'], command.opts()['end'], command.opts()['proof']],
          ...[shown(command), command.opts()['startFile']],
          ...[command.opts()['grafana'], command.opts()['prometheusRemoteWrite']],
        ],
  compare: (command) => {
    const [sides, options] = sidesOf(command.args, command.opts<CompareOptions>());
    const kinds = kindsOf(sides, options);
    refuseVain(command, kinds);
    if (!kinds.includes('records')) return compareOrder(sides, options);
    const { metric, cpuPrice, memoryPrice } = options;
    return [metric, cpuPrice, memoryPrice, shown(command)];
  },
  sweep: (command) => sweepOrder(command.opts<SweepOptions>()),
  recommend: (command) => {
    const options = command.opts<RecommendOptions>();
    const asked = askedBy(options);
    return [
      ...[asked, asked.choose(null), asked.limits(asked.slos)],
      ...[deployerOrder(options), options.values, shown(command)],
    ];
  },
};

const shown = (command: Command): unknown => command.opts()['json'];

/** Each way in which a command applies other options, for every command. */
const WAYS: Record<string, Record<string, string>> = {
  run: {
    process: '--target process --workload cpu',
    'process, a request': '--target process --request POST_/webhook/x --workflow @@cpu',
    'process, a workflow': '--target process --workflow @@cpu',
    'process, queue mode': '--target process --workload cpu --workers 2',
    'process, n8n below 1.0': '--target process --workload cpu --n8n 0.221.2',
    'profile closed': '--target process --workload cpu --profile closed',
    container: '--target container --workload cpu',
    'container, a Compose file':
      '--target container --compose @docker-compose.yml --tuning default --workload cpu',
    kubernetes: '--target kubernetes --workload cpu',
    'kubernetes, a request': '--target kubernetes --request POST_/webhook/x',
    'kubernetes --existing':
      '--target kubernetes --existing --namespace n8n --request POST_/webhook/x',
    'kubernetes --values': '--target kubernetes --workload cpu --values @other-values.yaml',
    'kubernetes --chart': '--target kubernetes --workload cpu --chart @other-chart.yaml',
    'kubernetes --via': '--target kubernetes --workload cpu --via gateway',
    url: '--url http://127.0.0.1:5678 --workload cpu',
    'url, a request': '--url http://127.0.0.1:5678 --request POST_/webhook/x',
    'url, a webhook': '--url http://127.0.0.1:5678/webhook/x',
    server: '--command node_server.js --url http://127.0.0.1:3000',
    'server, a request':
      '--command node_server.js --url http://127.0.0.1:3000 --request POST_/webhook/x',
    'server, a workload':
      '--command node_server.js --url http://127.0.0.1:3000 --workload @workload.yaml',
  },
  up: {
    process: '--workload cpu',
    'queue mode': '--workload cpu --workers 2',
    'a request': '--request POST_/webhook/x --workflow @@cpu',
  },
  drill: {
    process: 'stop-redis --target process --workers 2',
    'process --recover': 'kill-worker --workers 2 --recover',
    'process, a soak': 'soak --workers 2 --for 5m',
    'process, a repeated fault': 'kill-worker --workers 2 --every 1s --for 5s --workload cpu',
    kubernetes: 'kill-worker --target kubernetes --workers 2',
    'commands, at a url':
      'custom --url http://127.0.0.1:5678 --begin date --request POST_/webhook/x',
    'commands, on a release that is there':
      'custom --target kubernetes --existing --namespace n8n --begin date --request POST_/webhook/x',
    list: 'list',
  },
  compare: {
    topologies: '@topology.yaml @other.yaml --workload cpu',
    'topologies, open loop': '@topology.yaml @other.yaml --workload cpu --profile load',
    'topologies, capacity': '@topology.yaml @other.yaml --workload cpu --metric capacity',
    kubernetes: '@topology.yaml @other.yaml --target kubernetes --workload cpu',
    'kubernetes --via':
      '@topology.yaml @other.yaml --target kubernetes --workload cpu --via gateway',
    urls: 'http://127.0.0.1:5678 http://127.0.0.1:5679 --workload cpu',
    'url and topology': 'http://127.0.0.1:5678 @other.yaml --request POST_/webhook/x',
    servers: '@server.yaml @server.yaml',
    'versions of n8n': '--n8n 2.40.7 --n8n 2.41.1 --workload cpu',
    records: '@record @other-record',
  },
  sweep: { process: '-f @plan.yaml', kubernetes: '-f @plan.yaml --target kubernetes' },
  recommend: {
    'from records': '--from @record',
    'from records, proved': '--from @record --prove --workload cpu',
    'from records, proved on kubernetes': '--from @record --prove --target kubernetes',
    'a search': '--workload cpu --rate 5 --slo p95<1s',
    'a search on kubernetes': '--workload cpu --rate 5 --slo p95<1s --target kubernetes',
    'a request of ours': '--request POST_/webhook/x --rate 5 --slo p95<1s',
    'values as they are':
      '--values @other-values.yaml --prove --rate 5 --slo p95<1s --workload cpu',
  },
};
WAYS['find'] = Object.fromEntries(
  Object.entries(WAYS['run'] ?? {}).filter(([name]) => name !== 'profile closed'),
);

const wordsOf = (text: string): string[] =>
  filled(
    text
      .split(' ')
      .map((word) => word.replaceAll('@@cpu', join(ROOT, 'workflows/cpu.json')))
      .map((word) => (/^(POST|node)_/.test(word) ? word.replace('_', ' ') : word)),
  );

function given(option: Option, base: readonly string[]): [string] | [string, string] {
  const { long, required, variadic } = option;
  if (!required && !variadic) return [long ?? ''];
  // Who asks for workers has asked for a queue.
  const isQueue = long === '--mode' && base.includes('--workers');
  const value = isQueue ? 'regular' : VALUES[option.attributeName()];
  if (value === undefined) throw new Error(`VALUES has nothing for ${long ?? ''}`);
  return [long ?? '', ...filled([value])] as [string, string];
}

/** Named as the user writes it, or by its name alone where a file may say the same, or by the target that it implies. */
function names(message: string, { long }: Option): boolean {
  const flag = long ?? '';
  if (flag === '--command' && message.includes('--target server')) return true;
  // The request, and the file of a workflow that has no such webhook.
  if (/^no webhook in \S+ accepts/.test(message))
    return ['--request', '--workload', '--workflow'].includes(flag);
  return new RegExp(`\\b${flag.slice(2)}`).test(message);
}

const results = new Map<string, Map<string, string>>();

/** Each option in a third of the ways of its command, and in one at least; LONG=1 and the table of all take each in each. */
const isWhole = isLong || process.env['OPTIONS_TABLE'] !== undefined;
const stepOf = (ways: Record<string, string>): number =>
  isWhole ? 1 : Math.min(3, Object.keys(ways).length);

for (const [name, ways] of Object.entries(WAYS)) {
  const step = stepOf(ways);
  describe.each(Object.entries(ways))(`${name}, %s`, (way, text) => {
    const number = Object.keys(ways).indexOf(way);
    const options = optionsOf(name).filter((_, index) => (index + number) % step === 0);
    const base = (): string[] => wordsOf(text);
    let before: Promise<string | Mistake> | undefined;

    test.each(options.map((option) => [option.long ?? '', option] as const))(
      '%s changes what is done, or is refused by its name',
      async (long, option) => {
        const words = base();
        const [flag, value] = given(option, words);
        // What the way consists of has been given.
        if (words.includes(long) && [undefined, words[words.indexOf(long) + 1]].includes(value))
          return;
        before ??= asked(name, words, ORDERS[name]);
        const plain = await before;
        // A queue has this database anyway.
        if (long === '--database' && String(plain).includes('"mode":"queue"')) return;
        const after = await asked(
          name,
          [...words, ...(value === undefined ? [flag] : [flag, value])],
          ORDERS[name],
        );
        const isVain = after instanceof Mistake;
        const row = results.get(`${name} ${long}`) ?? new Map<string, string>();
        results.set(`${name} ${long}`, row.set(way, isVain ? 'refused' : 'applied'));
        if (isVain && !(plain instanceof Mistake)) {
          expect([after.message, names(after.message, option)]).toEqual([after.message, true]);
        }
        if (!isVain) expect(after).not.toBe(plain);
      },
    );
  });
}

afterAll(() => {
  const file = process.env['OPTIONS_TABLE'];
  if (file === undefined) return;
  const lines = Object.entries(WAYS).flatMap(([name, ways]) => {
    const columns = Object.keys(ways);
    return [
      `## ${name}`,
      `| option | ${columns.join(' | ')} |`,
      `| --- |${columns.map(() => ' --- |').join('')}`,
      ...optionsOf(name).map(({ long }) => {
        const row = results.get(`${name} ${long ?? ''}`);
        return `| ${long ?? ''} | ${columns.map((way) => row?.get(way) ?? 'given').join(' | ')} |`;
      }),
      '',
    ];
  });
  writeFileSync(file, lines.join('\n'));
});
