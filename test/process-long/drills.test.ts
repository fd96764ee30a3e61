import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAULTS } from '../../capacity/src/drill/faults';
import { LEDGER_CLASSES } from '../../capacity/src/plan/ledger-class';
import type { DrillRecord } from '../../capacity/src/record/drill-record';
import { buildCli, endStartedClis, runCli } from '../support/cli';

/** Every fault on real processes: it is made, what it ended comes back, and the books balance. */

jest.setTimeout(600_000);

const out = mkdtempSync(join(tmpdir(), 'drills-'));
beforeAll(buildCli);
afterAll(() => {
  endStartedClis();
  rmSync(out, { recursive: true, force: true });
});

const LASTS: Record<string, string> = {
  ...{ 'stall-worker': '25s', 'cut-worker': '25s', 'stop-redis': '10s' },
};
const lasts = (name: string, usualSeconds: number): string[] =>
  usualSeconds === 0 ? [] : ['--for', LASTS[name] ?? '8s'];

test.each(FAULTS.map(({ name, usualSeconds }) => [name, usualSeconds] as const))(
  '%s',
  async (name, usualSeconds) => {
    const { stdout, stderr } = await runCli([
      ...['drill', name, ...lasts(name, usualSeconds), '--workers', '2', '--webhooks', '2'],
      ...['--rate', '3', '--param', 'ms=2000', '--warmup', '3s', '--steady', '10s'],
      ...['--return', '25s', '--patience', '120s', '--no-control', '--slo', 'errors<1%'],
      ...[
        '--env',
        'QUEUE_WORKER_LOCK_DURATION=10000',
        '--env',
        'QUEUE_WORKER_LOCK_RENEW_TIME=3000',
      ],
      ...['--env', 'QUEUE_WORKER_STALLED_INTERVAL=5000', '--out', out, '--json'],
    ]);
    expect(stderr).not.toContain('Error:');
    const { ledger, verdict, fault } = JSON.parse(stdout) as DrillRecord;
    expect(verdict.invalid).toEqual([]);
    expect(fault.done.length).toBeGreaterThan(0);
    const sum = LEDGER_CLASSES.reduce((all, each) => all + ledger.classes[each].requests, 0);
    expect(sum).toBe(ledger.sent);
    expect(ledger.sources.effects).not.toBeNull();
    // What was due after the fault was served again.
    expect(ledger.classes.once.requests).toBeGreaterThan(0.4 * ledger.sent);
  },
);
