import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { chooseWorkload } from '../../../cli/src/plan/chosen-workload';
import { chooseTopology } from '../../../cli/src/plan/chosen-topology';

const workflows = join(__dirname, '../../../workflows');
const choose = (workload: string, n8n: string | null, variant?: string) =>
  chooseWorkload({ workload, variant }, workflows, n8n);

describe('what is put into n8n', () => {
  const put = (name: string): string[] =>
    choose(name, null).workflows.map(({ file }) => relative(workflows, file));

  it('is a file per copy, each of which is an execution of its own', () => {
    const copies = Array.from(
      { length: 10 },
      (_, index) => `ten-workflows/${String(index + 1)}.json`,
    );
    expect(put('ten-workflows')).toEqual(copies);
    expect(choose('ten-workflows', null).recorded.executionsPerRequest).toBe(1);
    expect(put('many-webhooks')).toEqual(['many-webhooks.json']);
  });

  it('is what a workflow calls as well, one execution more', () => {
    expect(put('sub-workflow')).toEqual(['sub-workflow.json', 'sub-workflow-called.json']);
    expect(choose('sub-workflow', null).recorded.executionsPerRequest).toBe(2);
  });
});

test('a chosen workload sends headers of the user besides those of the workload', () => {
  const { requests } = chooseWorkload(
    { workload: 'binary', headers: ['x-load-key: secret'] },
    workflows,
    null,
  );
  expect(requests[0]?.headers).toEqual({
    'content-type': 'application/octet-stream',
    'x-load-key': 'secret',
  });
});

describe('which variant of a workload is taken', () => {
  it('is the one for n8n below 1.0 where that is loaded', () => {
    expect(choose('wait-5s', '0.221.2').recorded.variant).toBe('legacy');
    expect(choose('wait-5s', null).recorded.variant).toBe('native');
  });

  it('cannot be one that this n8n does not run', () => {
    expect(() => choose('items', '0.221.2')).toThrow(
      /^items has no variant for n8n before 1\.0: choose/,
    );
    expect(() => choose('mixed', '0.221.2')).toThrow(/^mixed has no variant/);
    expect(() => choose('cpu', '0.221.2', 'load-target')).toThrow(/^cpu has no variant/);
    expect(() => choose('cpu', null, 'legacy')).toThrow(/for n8n before 1\.0: remove --variant/);
  });
});

test('a workload is refused for an n8n that lacks what it uses', () => {
  expect(() => choose('data-table', '1.123.81')).toThrow(
    'data-table needs n8n 2.1.0 or newer: choose such a version with --n8n, or another workload.',
  );
  expect(choose('data-table', '2.4.8').recorded.variant).toBe('native');
  expect(choose('data-table', null).recorded.variant).toBe('native');
});

test("a topology with a record's mask in place of a secret is refused, and names the variable", () => {
  for (const value of ['***', 'redis://***@store:6379']) {
    expect(() => chooseTopology({ env: { QUEUE_URL: value } })).toThrow(
      /QUEUE_URL=.*a placeholder that records use for secrets.*--env QUEUE_URL=/s,
    );
  }
  expect(chooseTopology({ env: { CRON: '0 */5 * * *' } }).env).toEqual({ CRON: '0 */5 * * *' });
});

describe('a blend of workload files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'blend-'));
  const part = (name: string, more: object = {}): object => ({
    ...{ name, title: 'Mine', stresses: 'Mine.', answers: 'when-done' },
    ...{
      request: { method: 'POST', path: `/webhook/${name}` },
      response: { expect: ['status==200'] },
    },
    variants: { native: { file: `${name}.workflow.json`, n8n: '>=1.0.0' } },
    ...more,
  });
  const write = (name: string, content: object): string => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const blend = (...parts: string[]): string =>
    write('all.json', {
      ...{ name: 'all', title: 'All', stresses: 'All.', answers: 'when-done' },
      blend: parts.map((workload, index) => ({ workload, weight: index + 1 })),
    });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('has the requests and the workflows of each, relative to the blend, and those of bundled ones', () => {
    write('a.json', part('a'));
    write('b.json', part('b', { executionsVary: true }));
    const { requests, workflows: put, recorded } = choose(blend('a.json', 'b.json', 'cpu'), null);
    expect(requests.map(({ workload, weight }) => [workload, weight])).toEqual([
      ...[
        ['a', 1],
        ['b', 2],
        ['cpu', 3],
      ],
    ]);
    expect(put.map(({ file }) => file)).toEqual([
      ...[
        join(folder, 'a.workflow.json'),
        join(folder, 'b.workflow.json'),
        join(workflows, 'cpu.json'),
      ],
    ]);
    expect(recorded.executionsPerRequest).toBeUndefined();
  });

  it('cannot name a blend, nor two workloads of one name', () => {
    write('a.json', part('a'));
    write('same.json', part('a'));
    write('blend.json', {
      ...part('c'),
      request: undefined,
      response: undefined,
      variants: {},
      blend: [],
    });
    expect(() => choose(blend('blend.json'), null)).toThrow('which is also a blend');
    expect(() => choose(blend('a.json', 'same.json'), null)).toThrow(
      'two workloads with the name a',
    );
  });
});
