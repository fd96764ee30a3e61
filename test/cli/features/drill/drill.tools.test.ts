import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drill } from '../../../../cli/src/features/drill/drill';
import { findFault } from '../../../../cli/src/features/drill/faults';
import { repositoryRoot } from '../../../../cli/src/lab/paths';
import { findK6 } from '../../../../cli/src/load/k6';
import { chooseWorkload } from '../../../../cli/src/plan/chosen-workload';
import { LEDGER_CLASSES } from '../../../../cli/src/features/drill/analysis/ledger-class';
import { parsePromises } from '../../../../cli/src/features/drill/analysis/promise';
import { parseSlos } from '../../../../loadtests/lib/slo';
import { readDrill } from '../../../../cli/src/features/drill/record';
import { readLedger } from '../../../support/read-run';
import { standIn, type StandIn } from './stand-in';

/** A whole drill with k6 against a stand-in that loses, duplicates, answers without executing and the like. */

jest.setTimeout(120_000);

const root = repositoryRoot();
const out = mkdtempSync(join(tmpdir(), 'drill-'));
let target: StandIn;
beforeEach(async () => {
  target = await standIn();
});
afterEach(() => target.end());
afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});

const RATE = 30;
const STEADY_SECONDS = 2;

const order = (promises: string, returnSeconds: number): Parameters<typeof drill>[1] => ({
  fault: findFault('kill-worker'),
  load: {
    ...{ ratePerSecond: RATE, warmupSeconds: 0, steadySeconds: STEADY_SECONDS, faultSeconds: 0 },
    ...{ returnSeconds, rateFactor: 1 },
  },
  promises: parsePromises(promises),
  hasControl: true,
  workload: chooseWorkload(
    { workload: 'side-effect', parameters: { ms: 0 } },
    join(root, 'workflows'),
    null,
  ),
  slos: parseSlos('errors<1%'),
  ...{ out, k6: findK6(), scripts: join(root, 'loadtests') },
  ...{ timeoutMs: 5_000, drainMs: 5_000, command: ['drill', 'kill-worker'] },
});

const run = (how: Parameters<typeof drill>[1]): ReturnType<typeof drill> =>
  drill(target.running, how, () => undefined, new AbortController().signal);

test('a drill counts exactly what the stand-in did, and balances with what was sent', async () => {
  const { folder, record, problems } = await run(order('lost=0,repeated<10%', 6));
  expect([problems, target.again]).toEqual([[], []]);
  const { ledger, control, verdict, figures, phases } = record;
  const sent = RATE * (STEADY_SECONDS + 6);
  // The control was all well, and is part of the truth.
  const controls = control?.classes.once.requests ?? 0;
  const counted = LEDGER_CLASSES.map((name) => [name, ledger.classes[name].requests]);
  const truth = LEDGER_CLASSES.map((name) => [
    name,
    target.truth[name] - (name === 'once' ? controls : 0),
  ]);
  expect(counted).toEqual(truth);
  expect([ledger.sent, control?.sent, controls]).toEqual([sent, sent, sent]);
  expect(ledger.sources).toEqual({ executions: 'stand-in', effects: 'service outside n8n' });

  expect(phases.faultMs).toBeGreaterThan(1000 * STEADY_SECONDS - 10);
  expect(phases.faultMs).toBeLessThan(1000 * STEADY_SECONDS + 5_000);
  expect(figures?.detectSeconds).toBeLessThan(1);
  expect(figures?.recoverSeconds).toBeNull();
  expect(verdict).toMatchObject({ outcome: 'fail', invalid: [] });
  expect(ledger.lost).toBe(target.truth.lost + target.truth['not-executed']);
  expect(verdict.sentence).toContain(
    `${String(ledger.lost)} of ${String(ledger.exposed)} requests were`,
  );

  expect(readDrill(folder)).toEqual(record);
  expect(readLedger(folder)).toHaveLength(sent);
  expect(readFileSync(join(folder, 'plots', 'rate.svg'), 'utf8')).toContain('SIGKILL of worker-1');
});

test('a drill says nothing where the SLO was missed without the fault', async () => {
  const { record } = await run({
    ...{ ...order('lost=0', 2), slos: parseSlos('p95<1ms'), hasControl: false },
  });
  expect(record.verdict.outcome).toBe('invalid');
  expect(record.verdict.sentence).toContain('the SLO was missed before the fault (p95 was');
});

/** Ends a drill as Ctrl-C does, a moment before its fault, or as long before it is due in the control. */
async function brokenOff(part: 'control' | 'kill-worker'): ReturnType<typeof drill> {
  const stopping = new AbortController();
  const told = (text: string): void => {
    if (text.startsWith(`${part}: load: 1 of`)) stopping.abort(new Error('stopped by Ctrl-C'));
  };
  const how = { ...order('lost=0', 20), hasControl: part === 'control' };
  return drill(target.running, how, told, stopping.signal);
}

test('a drill is invalid where it was broken off before the fault, which is not made then', async () => {
  const { folder, record, isStopped } = await brokenOff('kill-worker');
  expect([isStopped, record.verdict.outcome, record.fault.done]).toEqual([true, 'invalid', []]);
  expect(record.verdict.sentence).toContain('was aborted: stopped by Ctrl-C');
  expect(readDrill(folder)).toEqual(record);
});

test('a drill names the control where it was broken off in it', async () => {
  await expect(brokenOff('control')).rejects.toThrow(
    /^stopped by Ctrl-C before the fault: only the control was recorded, in .*runs/,
  );
});

// Go's HTTP client does so for methods that may be repeated, over a connection that was kept open.
test('a GET whose connection is cut is sent again by k6 itself, which is why side-effect is a POST', async () => {
  const posted = order('lost=0', 2);
  const requests = posted.workload.requests.map((one) => ({ ...one, method: 'GET' }));
  await run({ ...posted, workload: { ...posted.workload, requests }, hasControl: false });
  expect(target.again.length).toBeGreaterThan(0);
});
