import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  continueCommand,
  fullSecondsOf,
  readEarlier,
  refuseOther,
  trialsOf,
  type SearchedNow,
} from '../../../../cli/src/features/find/continue';
import { CapacitySearch } from '../../../../cli/src/features/find/analysis/search';
import { secondsOf } from '../../../../cli/src/features/find/analysis/types';
import { Mistake } from '../../../../cli/src/ui/exit';
import { parseSlos } from '../../../../loadtests/lib/slo';
import { sampleSearch } from '../../../support/sample-find';

const record = sampleSearch();
const earlier = { folder: 'results/x', record };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'continue-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('a search that is gone on with', () => {
  it('knows what the probes of before have told', () => {
    const trials = trialsOf(record);
    expect(trials.map(({ probe }) => probe)).toEqual(
      record.probes.map(({ kind, clients, ratePerSecond, durationSeconds }) =>
        kind === 'ladder'
          ? { kind, clients, durationSeconds }
          : { kind, ratePerSecond, durationSeconds },
      ),
    );
    const settings = { budgetSeconds: secondsOf(trials) };
    const spent = new CapacitySearch(settings, trials);
    expect(spent.next()).toBeNull();
    expect(spent.estimate().capacity).toBeGreaterThan(0);
    const more = new CapacitySearch({ budgetSeconds: settings.budgetSeconds + 300 }, trials);
    expect(more.next()?.kind).not.toBe('ladder');
  });

  it('has full probes as long as those of before', () => {
    expect(fullSecondsOf(record.probes)).toBe(60);
    expect(fullSecondsOf([])).toBeNull();
  });

  const same: Required<SearchedNow> = {
    ...{ workload: record.workload, slo: record.slo, arrivals: 'random' },
    ...{ target: record.target, topology: record.topology, machine: record.machine },
  };

  it('is the same where n8n listens at another port, and where keys are in another order', () => {
    const workload = Object.fromEntries(Object.entries(record.workload).reverse()) as never;
    const target = { ...record.target, url: 'http://127.0.0.1:9' };
    expect(() => {
      refuseOther(earlier, { ...same, workload, target });
    }).not.toThrow();
  });

  const rows: [string, SearchedNow][] = [
    [
      'the workload last-node, not items',
      { workload: { ...record.workload, name: 'items', title: 'items' } },
    ],
    [
      'other parameters of the workload last-node',
      { workload: { ...record.workload, parameters: { other: 1 } } },
    ],
    [
      `the SLO ${record.slo.map(({ text }) => text).join(', ')}, not p95<2s`,
      { slo: parseSlos('p95<2s') },
    ],
    ['the target process, not url at http://h', { target: { kind: 'url', url: 'http://h' } }],
    ['another topology', { topology: null }],
    ['the machine', { machine: { ...record.machine, cores: 64 } }],
  ];

  it.each(rows)('is refused with what is another one: %s', (text, now) => {
    const refuse = (): void => {
      refuseOther(earlier, { ...same, ...now });
    };
    expect(refuse).toThrow(Mistake);
    expect(refuse).toThrow(`--continue: the search in results/x was made with ${text}`);
    expect(refuse).toThrow('Use the same options, or start a new search without --continue.');
  });

  it('is one: a folder of several or of none is refused', () => {
    expect(() => readEarlier(folder)).toThrow(`--continue: there is no search in ${folder}`);
    for (const name of ['a', 'b']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'find.json'), JSON.stringify(record));
    }
    expect(() => readEarlier(folder)).toThrow(`--continue: ${folder} contains several searches`);
    expect(readEarlier(join(folder, 'a')).record.id).toBe(record.id);
  });

  it('is named as the user would type it, once', () => {
    const command = ['find', '--slo', 'p95<1s', '--out', 'mine', '--continue=a', '--budget', '5m'];
    expect(continueCommand(command, 'results/x')).toBe(
      "n8n-tuned find --slo 'p95<1s' --budget 5m --continue results/x",
    );
  });
});
