import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FindRecord } from '../../../../cli/src/features/find/record';
import { programOf } from '../../../../cli/src/program';
import { Mistake } from '../../../../cli/src/ui/exit';
import { sampleSearch } from '../../../support/sample-find';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'other-machine-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = 0;
  rmSync(root, { recursive: true, force: true });
});

function written(name: string, more: Partial<FindRecord> = {}): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'find.json'), JSON.stringify({ ...sampleSearch(), ...more }));
  return folder;
}

async function predicted(...words: string[]): Promise<string> {
  let printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  await programOf().parseAsync(['predict', '--out', join(root, 'out'), ...words], { from: 'user' });
  return printed;
}

async function refusal(...words: string[]): Promise<string> {
  const error: unknown = await predicted(...words).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Mistake);
  return (error as Mistake).message;
}

describe('n8n-tuned predict --at-cpu', () => {
  test('carries a search to a machine on which a request costs half, as a range, and writes a report', async () => {
    const text = await predicted('--from', written('a'), '--at-cpu', '12.25ms');
    // If it is as busy as here: 80/s. Waiting as long: 0.64 of one thread is used here, and there 0.82, so 102.5/s.
    expect(text.replace(/\s+/g, ' ')).toContain(
      'EXPECTED n8n should sustain about 91.3 req/s of last-node with p95<300ms, errors<1% (between 76 and',
    );
    expect(text).toMatch(/Measured +40\/s \(between 38 and 44\) at 24.5 ms of CPU per request/);
    const [report = ''] = /\S+report\.html/.exec(text) ?? [];
    expect(existsSync(report)).toBe(true);
  });

  test('says "at least" of a search that did not reach the upper limit, and nowhere about how much', async () => {
    const { capacity } = sampleSearch();
    const open = written('a', { capacity: { ...capacity, high: null } });
    const text = (await predicted('--from', open, '--at-cpu', '12.25ms')).replace(/\s+/g, ' ');
    expect(text).toContain(
      "n8n should sustain at least 76 req/s of last-node with p95<300ms, errors<1% on a machine where a request takes 12.3 ms of n8n's CPU instead of 24.5 ms. The search did not reach the upper limit.",
    );
    expect(text).toContain('Expected at least 76/s');
    expect(text).toContain('Measured at least 38/s at 24.5 ms of CPU per request');
    expect(text).not.toMatch(/about|91\.3|40\/s/);
    const json = await predicted('--from', open, '--at-cpu', '12.25ms', '--json');
    expect(JSON.parse(json)).toMatchObject({ ratePerSecond: null, low: 76, high: null });
  });

  test('prints the same as JSON', async () => {
    const text = await predicted('--from', written('a'), '--at-cpu', '24.5ms', '--json');
    expect(JSON.parse(text)).toMatchObject({
      ...{ cpuMs: 24.5, fromMs: 24.5, ratePerSecond: 40, low: 38, high: 44 },
    });
  });

  test.each([
    [
      '--at with --at-cpu',
      ['--at', '2', '--at-cpu', '12.25ms'],
      'use either --at with a size, or --at-cpu',
    ],
    ['neither of both', [], 'use either --at with a size, or --at-cpu'],
    ['--over', ['--at-cpu', '12.25ms', '--over', 'cpu'], '--over works only with --at'],
  ])('refuses %s', async (_name, words, sentence) => {
    expect(await refusal('--from', written('a'), ...words)).toContain(sentence);
  });

  test('refuses several searches, one without an answer, and one whose CPU nobody saw', async () => {
    written('a');
    written('b');
    expect(await refusal('--from', root, '--at-cpu', '12.25ms')).toMatch(
      /^--at-cpu requires a single search, but .* has 2: select one search with --from\.$/,
    );
    const none = written('c', { verdict: 'nothing sustained' });
    expect(await refusal('--from', none, '--at-cpu', '12.25ms')).toContain(
      'did not find a capacity',
    );
    const { capacity, probes } = sampleSearch();
    const { ratePerSecond, low, high, confirmed } = capacity;
    const unseen = written('d', {
      capacity: { ratePerSecond, low, high, confirmed },
      probes: probes.map((probe) => ({ ...probe, cpuPerRequest: null })),
    });
    expect(await refusal('--from', unseen, '--at-cpu', '12.25ms')).toContain(
      "did not measure n8n's CPU time",
    );
  });
});
