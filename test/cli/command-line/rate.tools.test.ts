/** `find --rate` with k6, on servers whose latency is known. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRate } from '../../../cli/src/features/find/read';
import type { RateRecord } from '../../../cli/src/features/find/rate-record';
import { buildCli, endStartedClis, runCli } from '../../support/cli';
import { startKnownServer, type KnownServer } from '../../support/known-server';
import { isLong } from '../../support/properties';

jest.setTimeout(240_000);

let out: string;
let server: KnownServer | null = null;

beforeAll(buildCli);

beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'rates-'));
});

afterEach(async () => {
  endStartedClis();
  await server?.close();
  rmSync(out, { recursive: true, force: true });
});

async function asked(
  latencyMs: number,
  ...more: string[]
): Promise<[number | null, RateRecord & { folder: string }]> {
  server = await startKnownServer({ latencyMs });
  const { code, stdout } = await runCli([
    ...['find', '--url', server.url, '--request', 'GET /webhook/x', '--slo', 'p95<300ms'],
    ...['--rate', '20', '--anyway', '--out', out, '--json', ...more],
  ]);
  return [code, JSON.parse(stdout) as RateRecord & { folder: string }];
}

test('a server that is always late gets NO after two attempts, long before the budget is spent', async () => {
  const [code, record] = await asked(400);
  // On a machine that stalls, the load may be late, and its attempt invalid.
  if (record.answer === 'invalid') {
    expect(code).toBe(3);
    expect(record.doubts.join()).toContain('load generator');
    return;
  }
  expect([code, record.answer]).toEqual([1, 'no']);
  expect(record.attempts.map(({ answer }) => answer)).toEqual(['no', 'no']);
  expect(record.attempts.map(({ p95Ms }) => (p95Ms ?? 0) >= 400)).toEqual([true, true]);
  expect(record.attempts.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(100);
  const { folder, ...rest } = record;
  expect(readRate(folder)).toEqual(rest);
  expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain(record.sentence);
});

if (isLong) {
  test('a budget that is too short for an answer is NOT YET, with what would decide it', async () => {
    const [code, record] = await asked(5, '--budget', '16s');
    expect(code).toBe(3);
    if (record.answer === 'invalid') return;
    expect(record.answer).toBe('not yet');
    expect(record.decidesAfterSeconds).toBeGreaterThan(16);
    expect(record.sentence).toContain('of load would decide it (--budget)');
  });
}
