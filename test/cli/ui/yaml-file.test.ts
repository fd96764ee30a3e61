/** Every kind of file that a person writes says the same of a key that is not known: where, and which is meant. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWorkload } from '../../../cli/src/catalogue/read';
import { chartFileSchema, readChartFile } from '../../../cli/src/plan/chart-file';
import { chooseServer } from '../../../cli/src/plan/chosen-server';
import { chooseTopology } from '../../../cli/src/plan/chosen-topology';
import { parseStudy } from '../../../cli/src/features/study/plan';
import { parseSweepPlan } from '../../../cli/src/features/sweep/plan/plan';
import { Mistake } from '../../../cli/src/ui/exit';
import { nearest } from '../../../loadtests/lib/nearest';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yaml-file-'));
  file = join(folder, 'given.yaml');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function told(text: string, read: (file: string, text: string) => unknown): string {
  writeFileSync(file, text);
  try {
    read(file, text);
  } catch (error) {
    if (error instanceof Mistake) return error.message.replaceAll(file, 'given.yaml');
    throw error;
  }
  return 'nothing';
}

const topology = (given: string): unknown => chooseTopology({ topology: given });
const server = (given: string): unknown => chooseServer({ topology: given });
const plan = (_: string, text: string): unknown => parseSweepPlan(text, file);
const study = (_: string, text: string): unknown => parseStudy(text, file);
const WORKLOAD = 'name: a\ntitle: A\nstresses: It.\nanswers: at-once\n';

test.each<[string, string, (file: string, text: string) => unknown, RegExp]>([
  [
    'a topology',
    'executions: { mode: queue }\nwokrer: { replicas: 2 }\n',
    topology,
    /^given.yaml:2: 'wokrer' \(did you mean worker\?\) is not known in a topology: expected one of /,
  ],
  [
    'a role of a topology',
    'main:\n  resorces: {}\n',
    topology,
    /^given.yaml:2: 'resorces' \(did you mean resources\?\) is not known under main: expected one of /,
  ],
  [
    'a key of a topology that is nowhere, named once',
    'main: { replica: 2 }\n',
    topology,
    /^given.yaml:1: 'replica' \(did you mean replicas\?\) is not known under main: expected one of [^\n]*$/,
  ],
  [
    'a value of a topology',
    'executions: { mode: queue }\nworker:\n  replicas: two\n',
    topology,
    /^given.yaml:3: worker.replicas is "two": expected a number$/,
  ],
  [
    'a choice of a topology',
    'executions: { mode: queues }\n',
    topology,
    /^given.yaml:1: executions.mode is "queues": expected regular or queue or null$/,
  ],
  [
    'a word for no patches that there is not',
    'tuning: { patches: none }\n',
    topology,
    /^given.yaml:1: tuning.patches is "none": expected proven or known or off or /,
  ],
  [
    'a topology that only a cluster can have',
    'main: { replicas: 1 }\ningress:\n  enabled: true\n',
    topology,
    /^given.yaml:3: ingress.enabled is true: this value works only in a cluster; remove it, or deploy /,
  ],
  [
    'a topology that an autoscaler changes',
    'database: { type: postgresql }\nexecutions: { mode: queue }\nworker: { keda: { enabled: true } }\n',
    topology,
    /^given.yaml:3: worker.keda.enabled is true: this value works only in a cluster; /,
  ],
  [
    'n8n as it comes',
    'tuning: { profile: none }\ndatabase: { poolSize: 5 }\n',
    topology,
    /^given.yaml:2: database.poolSize is 5: tuning.profile none allows no other tuning values; /,
  ],
  [
    'a preset that only a cluster can have',
    'preset: cpu-bound\ndatabase: { type: postgresql }\n',
    topology,
    /^given.yaml has values that work only in a cluster: autoscaling of worker; remove them, or deploy /,
  ],
  [
    'a store of execution data that only a cluster can have',
    'executions: { dataStorage: s3 }\n',
    topology,
    /^given.yaml has values that work only in a cluster: executions.dataStorage=s3; remove them, or deploy /,
  ],
  [
    'a store of files that only a cluster can have',
    'binaryData: { mode: azure }\n',
    topology,
    /^given.yaml has values that work only in a cluster: binaryData.mode=azure; remove them, or deploy /,
  ],
  [
    'a store of execution data beside n8n as it comes',
    'tuning: { profile: none }\nexecutions: { dataStorage: filesystem }\n',
    topology,
    /^given.yaml:2: executions.dataStorage is "filesystem": tuning.profile none allows no other tuning values; /,
  ],
  [
    'a topology that is a list',
    '- mode\n',
    topology,
    /^given.yaml:1: the topology: expected a mapping$/,
  ],
  ['a topology that is no YAML', 'mode: [\n', topology, /^given.yaml:\d: /],
  [
    'a server',
    'command: node a.js\nurl: http://127.0.0.1:1\ncpuMilicores: 5\n',
    server,
    /^given.yaml:3: 'cpuMilicores' \(did you mean cpuMillicores\?\) is not known in a server: /,
  ],
  [
    'a chart file',
    'chart: ./peer\nvalue: []\n',
    readChartFile,
    /^given.yaml:2: 'value' \(did you mean values\?\) is not known in a chart file: /,
  ],
  [
    'the service of a chart file',
    'chart: ./peer\nservice: { name: a, prot: 80 }\n',
    readChartFile,
    /^given.yaml:2: 'prot' \(did you mean port\?\) is not known under service: expected one of name, port$/,
  ],
  [
    'a workload',
    `${WORKLOAD}thinkTime: 1\n`,
    readWorkload,
    /^given.yaml:5: 'thinkTime' \(did you mean thinkTimeMs\?\) is not known in a workload: /,
  ],
  [
    'the variant of a workload',
    `${WORKLOAD}variants:\n  native: { fil: a.json, n8n: '>=1.0.0' }\n`,
    readWorkload,
    /'fil' \(did you mean file\?\) is not known under variants.native: expected one of file, n8n, /,
  ],
  [
    'a plan',
    'slo: [p95<1s]\ndimension: { workers: [1] }\n',
    plan,
    /given.yaml:2: 'dimension' \(did you mean dimensions\?\) is not known in a plan: /,
  ],
  [
    'a dimension of a plan',
    'slo: [p95<1s]\ndimensions:\n  wokers: [1]\n',
    plan,
    /^given.yaml:3: dimensions.wokers: there is no such dimension \(did you mean workers\?\): /,
  ],
  [
    'a study',
    'question: Q\nparts: { a: { minutes: 1, comands: [] } }\n',
    study,
    /'comands' \(did you mean commands\?\) is not known under parts.a: expected one of minutes, commands, network$/m,
  ],
])('%s with what is not known', (_, text, read, said) => {
  const message = told(text, read);
  expect(message).toMatch(said);
  expect(message).not.toMatch(/Unrecognized|Invalid input/);
});

test.each(['off', "'off'", 'false'])('patches are off where a file says %s', (word) => {
  writeFileSync(file, `tuning: { patches: ${word} }\n`);
  expect(chooseTopology({ topology: file }).settings).toEqual({ patches: 'off' });
});

test('what a file leaves out is taken from options, and then from the defaults', () => {
  writeFileSync(
    file,
    'executions: { mode: queue }\ndatabase: { type: postgresql }\ntuning: { profile: none }\nworker: { replicas: 2 }\nmain: { resources: { limits: { memory: 700Mi } } }\n',
  );
  const chosen = chooseTopology({ topology: file, workers: 3, cpu: 500 });
  expect(chosen).toMatchObject({
    ...{ mode: 'queue', workers: { count: 3, concurrency: 10, cpuMillicores: 500 } },
    main: { memoryMiB: 700, cpuMillicores: 500, heapMiB: 'auto' },
  });
});

test.each([
  ['n8n: 2.40.0', 'n8n is "2.40.0": expected image.tag, as'],
  ['mode: queue', 'mode is "queue": expected executions.mode, as'],
  ['database: sqlite', 'database is "sqlite": expected database.type, as'],
  ['tuning: none', 'tuning is "none": expected tuning.profile, as'],
  ['workers: { count: 2 }', 'workers.count is 2: expected worker.replicas, as'],
  ['workers: { concurrency: 2 }', 'workers: expected worker, as'],
  [
    'webhooks: { count: 2 }',
    'webhooks.count is 2: expected webhook.replicas with webhook.enabled: true, as',
  ],
  [
    'main: { cpuMillicores: 500 }',
    'main.cpuMillicores is 500: expected main.resources.limits.cpu, such as 500m, as',
  ],
  ['main: { heapMiB: 300 }', 'main.heapMiB is 300: expected main.heap.oldSpace, such as 300Mi, as'],
])('%s is refused with the name that the chart has for it', (text, said) => {
  expect(told(`env: {}\n${text}\n`, topology)).toBe(`given.yaml:2: ${said} in the chart's values`);
});

test.each([
  ['worker', 'workers'],
  ['wokers', 'workers'],
  ['webhook', 'webhooks'],
  ['enviroment', null],
  ['modes', 'mode'],
  ['mdoe', 'mode'],
  ['database ', 'database'],
  ['x', null],
])('the word nearest to %s is %s', (word, near) => {
  const known = ['name', 'n8n', 'mode', 'process', 'database', 'workers', 'webhooks', 'env'];
  expect(nearest(word, known)).toBe(near);
  expect(nearest('manifest', Object.keys(chartFileSchema.shape))).toBe('manifests');
});
