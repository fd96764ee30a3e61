import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SeedWorkflow } from '../../../../../cli/src/catalogue/seeding';
import type { ForeignChart } from '../../../../../cli/src/plan/chart-file';
import { parseRules } from '../../../../../cli/src/stand-in/rules';
import {
  needsUpstream,
  ownWorkflows,
  refuseWorkloads,
} from '../../../../../cli/src/targets/kubernetes/release/seedable';

const root = join(__dirname, '../../../../..');
const bundled = (needs?: SeedWorkflow['needs']): SeedWorkflow => ({
  name: 'one',
  file: join(root, 'workflows/last-node.json'),
  ...(needs === undefined ? {} : { needs }),
});
const own = { name: 'mine', file: '/elsewhere/mine.json' };
const twin: SeedWorkflow = {
  ...{ ...own, needs: ['upstream'] },
  standIn: { plan: parseRules('rules: []', 'rules.yaml'), credentials: [] },
};
const another: ForeignChart = { chart: 'n8n', values: [], manifests: [], roles: {} };

const refused = (
  workflow: SeedWorkflow,
  chart: ForeignChart | null,
  how: 'deploy' | 'existing' = 'deploy',
): (() => void) => {
  return () => {
    refuseWorkloads({ workflows: [workflow], chart, how });
  };
};

test.each([
  ['another chart takes a workflow of the user, by its API', own, another],
  ['and one that needs a credential, as http-calls', bundled(['upstream', 'credential']), another],
  ['our chart takes what is bundled', bundled(), null],
  ['a workflow of the user', own, null],
  ['and what calls the service beside the release', bundled(['upstream']), null],
  ['and a twin', twin, null],
  ['another chart takes a twin as well', twin, another],
])('%s', (_, workflow, chart) => {
  expect(refused(workflow, chart)).not.toThrow();
});

test('our chart gives n8n no credential', () => {
  expect(refused(bundled(['upstream', 'credential']), null)).toThrow(
    /a key which n8n does not have/,
  );
});

test('nothing puts a workflow of the user into a release that is there', () => {
  expect(refused(own, null, 'existing')).toThrow(/import and activate mine in n8n yourself/);
});

test("a twin is left to n8n's API, which takes its credentials", () => {
  expect(ownWorkflows({ workflows: [twin] })).toEqual({});
  expect(refused(twin, null, 'existing')).toThrow(/import and activate mine in n8n yourself/);
});

test('our chart gets the workflows of the user alone, each with an id', () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-'));
  const file = join(folder, 'mine.json');
  const nodes = [{ type: 'x' }];
  writeFileSync(
    file,
    JSON.stringify([
      { nodes, connections: {} },
      { id: 7, nodes, connections: {} },
    ]),
  );
  const texts = ownWorkflows({ workflows: [bundled(), { name: 'mine', file }] });
  rmSync(folder, { recursive: true });
  expect(Object.entries(texts).map(([name, text]) => [name, JSON.parse(text) as unknown])).toEqual([
    ['workflow-1', { id: 'workflow-1', nodes, connections: {} }],
    ['workflow-2', { id: 7, nodes, connections: {} }],
  ]);
});

test('beside a release that is there no service is started', () => {
  expect(refused(bundled(['upstream']), null, 'existing')).toThrow(/for an existing/);
});

test('one workload that calls a service is enough for it to be started', () => {
  expect(needsUpstream({ workflows: [bundled(), bundled(['upstream'])] })).toBe(true);
  expect(needsUpstream({ workflows: [bundled()] })).toBe(false);
});
