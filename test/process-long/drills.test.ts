import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault } from '../../cli/src/features/drill/fault';
import { FAULTS, findFault } from '../../cli/src/features/drill/faults';
import { LEDGER_CLASSES } from '../../cli/src/features/drill/analysis/ledger-class';
import type { DrillRecord } from '../../cli/src/features/drill/record';
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
  // n8n pings its database every 2 s, and waits 5 s for it.
  'pools-used-up': '20s',
};
const lasts = (name: string, defaultSeconds: number): string[] =>
  defaultSeconds === 0 ? [] : ['--for', LASTS[name] ?? '8s'];

const LOCKS = {
  ...{ QUEUE_WORKER_LOCK_DURATION: '10000', QUEUE_WORKER_LOCK_RENEW_TIME: '3000' },
  QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

interface Drilled extends DrillRecord {
  folder: string;
}

const QUEUE = ['--workers', '2', '--webhooks', '2'];

async function drilled(
  name: string,
  defaultSeconds: number,
  env: Record<string, string> = {},
  topology = QUEUE,
): Promise<Drilled> {
  const { stdout, stderr } = await runCli([
    ...['drill', name, ...lasts(name, defaultSeconds), ...topology],
    ...['--rate', '3', '--param', 'ms=2000', '--warmup', '3s', '--steady', '10s'],
    ...['--after', '25s', '--wait', '120s', '--no-control', '--slo', 'errors<1%'],
    ...Object.entries({ ...LOCKS, ...env }).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    ...['--out', out, '--json'],
  ]);
  expect(stderr).not.toContain('Error:');
  const record = JSON.parse(stdout) as Drilled;
  const { ledger, verdict, fault, figures, schedule } = record;
  // For the person who runs this: the figures of a drill are its point.
  const classes = LEDGER_CLASSES.map((each) => `${each} ${String(ledger.classes[each].requests)}`);
  process.stderr.write(
    `${name}: ${verdict.outcome}, sent ${String(ledger.sent)}, ${classes.join(', ')}, lost ${String(ledger.lost)} of ${String(ledger.exposed)}, ${JSON.stringify(figures)}, ${JSON.stringify(schedule ?? {})}, ${fault.done.map(({ text }) => text).join('; ')}\n`,
  );
  // A busy machine may be too slow for the SLO; the books have to balance all the same.
  expect(verdict.invalid.filter((why) => !why.startsWith('the SLO was missed before'))).toEqual([]);
  expect(fault.done.length).toBeGreaterThan(0);
  const sum = LEDGER_CLASSES.reduce((all, each) => all + ledger.classes[each].requests, 0);
  expect(sum).toBe(ledger.sent);
  expect(ledger.sources.effects).not.toBeNull();
  return record;
}

/** What of the sent requests was executed once and answered. */
const served = ({ ledger }: DrillRecord): number => ledger.classes.once.requests / ledger.sent;

/** Main takes the requests, in a heap that they can fill. */
const TOPOLOGIES: Record<string, string[]> = {
  'oom-main-payload': ['--workers', '2', '--memory', '1Gi'],
};

/** Services that answer with an error. */
const REFUSING = ['failing-upstream', 'hanging-upstream', 'throttling-upstream'];
const HALF_OPEN = 'redis-half-open';
const SCHEDULE = 'crash-across-a-schedule';

const isHere = ({ notOn, notHere }: Fault): boolean =>
  notOn?.process === undefined && (notHere?.() ?? null) === null;

test.each(
  FAULTS.filter((fault) => ![HALF_OPEN, SCHEDULE].includes(fault.name) && isHere(fault)).map(
    (one) => [one.name, one.defaultSeconds] as const,
  ),
)('%s', async (name, defaultSeconds) => {
  const record = await drilled(name, defaultSeconds, {}, TOPOLOGIES[name]);
  // What was due after the fault was served again.
  expect(served(record)).toBeGreaterThan(0.4);
  const { failed } = record.ledger.classes;
  // Nobody but n8n knows that a service failed and not itself.
  if (REFUSING.includes(name)) expect([failed.requests > 0, record.ledger.lost]).toEqual([true, 0]);
});

describe(HALF_OPEN, () => {
  /** What is due before it, of 38 s in all. */
  const BEFORE = 13 / 38;

  test('n8n by itself never takes a job again', async () => {
    const record = await drilled(HALF_OPEN, 0);
    expect(served(record)).toBeLessThanOrEqual(BEFORE);
    expect(record.ledger.classes.running.requests).toBeGreaterThan(0);
    expect(record.verdict.outcome).not.toBe('pass');
  });

  test("with the chart's guard, a worker ends, says why, and what waited is served", async () => {
    const guard = join(__dirname, '../../charts/n8n-tuned/files/preload/worker-guard.cjs');
    const record = await drilled(HALF_OPEN, 0, {
      ...{ NODE_OPTIONS: `--require=${guard}`, N8N_TUNED_GUARD_SECONDS: '10' },
    });
    expect(served(record)).toBeGreaterThan(0.5);
    const logs = join(record.folder, record.run, 'logs');
    const words = ['worker-1', 'worker-2'].map((name) =>
      readFileSync(join(logs, `${name}.log`), 'utf8'),
    );
    expect(words.join('')).toMatch(
      /worker-guard: \d+ jobs wait in jobs, and this worker took none/,
    );
  });
});

(isHere(findFault('full-disk')) ? test : test.skip)(
  'full-disk: n8n without a queue, with SQLite and its user folder on that disk',
  async () => {
    const record = await drilled('full-disk', 8, {}, ['--mode', 'regular']);
    expect(record.fault.done[0]?.text).toContain("n8n's user folder");
    // It was full: some callers had an error, and after it all is served.
    expect(record.figures?.errors?.requests).toBeGreaterThan(0);
    expect(served(record)).toBeGreaterThan(0.4);
  },
);

test(`${SCHEDULE}: of schedules in memory, what was due while main was away is never executed`, async () => {
  const { schedule } = await drilled(SCHEDULE, 20);
  // Away for 8 s and longer, with a due time every 2 s; before it, for 10 s, all was well.
  expect(schedule?.never.times).toBeGreaterThanOrEqual(4);
  expect(schedule?.once).toBeGreaterThan(0);
});
