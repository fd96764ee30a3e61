import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEDGER_CLASSES } from '../../cli/src/features/drill/analysis/ledger-class';
import type { DrillRecord } from '../../cli/src/features/drill/record';
import { readLedger } from '../support/read-run';
import { EXIT } from '../../cli/src/ui/exit';
import { buildCli, endStartedClis, type runCli, startCli } from '../support/cli';
import { unlessInvalid } from '../support/wait';

/** A worker is killed under load: what it had is lost, and every other request is accounted for. */

jest.setTimeout(480_000);

const out = mkdtempSync(join(tmpdir(), 'drill-'));
beforeAll(buildCli);
afterAll(() => {
  endStartedClis();
  rmSync(out, { recursive: true, force: true });
});

/** So that n8n gives up on a dead worker's jobs sooner than after a minute. */
const SOON = ['QUEUE_WORKER_LOCK_DURATION=8000', 'QUEUE_WORKER_LOCK_RENEW_TIME=2000'].concat(
  'QUEUE_WORKER_STALLED_INTERVAL=3000',
);

/** The file is made as soon as the command says that it waits for it. */
async function beganWith(file: string, args: string[]): ReturnType<typeof runCli> {
  rmSync(file, { force: true });
  const cli = startCli(args);
  const beside = readdirSync(out);
  cli.child.stderr.on('data', () => {
    if (existsSync(file) || !cli.stderr().includes(`waiting for ${file}`)) return;
    expect(readdirSync(out)).toEqual(beside);
    writeFileSync(file, '');
  });
  const { code } = await cli.ended;
  return { code, stdout: cli.stdout(), stderr: cli.stderr() };
}

test('a SIGKILL of one of two workers loses what it had at work, and nothing else', async () => {
  const startFile = join(out, 'start');
  const args = [
    ...['drill', 'kill-worker', '--workers', '2', '--rate', '3', '--param', 'ms=3000'],
    ...['--warmup', '2s', '--steady', '8s', '--after', '6s', '--no-control'],
    ...['--slo', 'errors<1%', '--promise', 'lost=0,repeated=0', '--out', out, '--json'],
    ...['--start-file', startFile],
    ...SOON.flatMap((variable) => ['--env', variable]),
  ];
  const { code, stdout, stderr } = await unlessInvalid(
    () => beganWith(startFile, args),
    (run) => run.code === EXIT.invalid,
  );
  expect([existsSync(startFile), stderr]).toEqual([true, expect.not.stringContaining('Error:')]);
  const { folder, ...record } = JSON.parse(stdout) as DrillRecord & { folder: string };
  const { ledger, verdict, fault, figures } = record;
  const count = (name: (typeof LEDGER_CLASSES)[number]): number => ledger.classes[name].requests;
  expect([code, verdict.outcome, verdict.invalid]).toEqual([1, 'fail', []]);
  expect(fault.done[0]?.text).toMatch(/^SIGKILL of worker-\d$/);
  expect(ledger.sources).toEqual({ executions: 'database', effects: 'service outside n8n' });

  // Every request in one class, and the classes add up to what was sent.
  const sum = LEDGER_CLASSES.reduce((all, name) => all + count(name), 0);
  expect([ledger.sent, sum]).toEqual([48, 48]);
  expect(ledger.lost).toBeGreaterThan(0);
  // It had 9 at work at most, and more where the machine stalls.
  expect(ledger.lost).toBeLessThan(24);
  expect(count('once')).toBe(48 - ledger.lost);
  expect([count('repeated'), count('not-executed')]).toEqual([0, 0]);
  expect(figures?.errors?.requests).toBe(ledger.lost);
  expect(verdict.promises.map(({ kept }) => kept)).toEqual([false, true]);

  // None of those that are lost was done outside n8n, and most of them had begun.
  const lost = readLedger(folder).filter((entry) => entry.class === 'lost');
  expect(lost.map(({ id }) => id)).toEqual(ledger.classes.lost.ids);
  for (const { effects } of lost) expect(effects.done).toBe(0);
  expect(lost.filter(({ effects }) => effects.begun === 1).length).toBeGreaterThan(0);
  expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain('accepted and lost');
});
