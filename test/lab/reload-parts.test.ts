// What a reload costs: where each request of a run went, and what is asked of the command.
import * as parts from '../../studies/cluster-loop/reload-parts';

const HEAD = 'tMs,durationMs,status,ok,errorKind,id';
const row = (tMs: number, durationMs: number, kind = ''): string =>
  [tMs, durationMs, kind === '' ? 200 : 0, kind === '', kind, 'a'].join(',');
const ledgerOf = (rows: string[], reloads: parts.Reload[]): parts.Ledger =>
  parts.ledgerOf(`${[HEAD, ...rows].join('\n')}\n`, reloads);

test('every request is in the ledger once, a failure by its kind', () => {
  const rows = [row(0, 5), row(10, 5, 'reset'), row(20, 5, 'refused'), row(30, 5, 'reset')];
  const { sent, expected, failures } = ledgerOf(rows, []);
  expect({ sent, expected, failures }).toEqual({
    ...{ sent: 4, expected: 1 },
    failures: { reset: 2, refused: 1 },
  });
});

test('a failure counts as one of a reload when its request was open meanwhile, or soon after', () => {
  const reloads = [{ beganMs: 100, endedMs: 200 }];
  expect(ledgerOf([row(90, 20, 'reset'), row(1100, 5, 'refused')], reloads).away).toBe(0);
  expect(ledgerOf([row(50, 20, 'reset'), row(1300, 5, 'refused')], reloads).away).toBe(2);
});

describe.each(['full', 'quick'] as const)('the runs of %s', (length) => {
  const load = parts.LOAD[length];
  const runs = parts.runsOf(length);
  const commands = runs.map((way) => parts.commandOf(way, load, 'out'));

  test('are named once each, and begin every reload while there is load', () => {
    const names = runs.map(({ name, repeat }) => `${name} ${String(repeat)}`);
    expect(new Set(names).size).toBe(names.length);
    expect(Math.max(...load.reloadsAtSeconds)).toBeLessThan(load.durationSeconds);
  });

  test('send what an HTTP client does not send again by itself', () => {
    for (const words of commands) expect(words).toContainEqual(expect.stringMatching(/^POST \//));
  });

  test('tell the server how to leave where it has to do anything', () => {
    for (const [index, { leaves }] of runs.entries()) {
      const says = commands[index]?.includes(`LEAVES=${leaves}`);
      expect(says).toBe(leaves !== 'at once');
    }
  });
});
