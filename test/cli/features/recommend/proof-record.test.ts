import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProof } from '../../../../cli/src/features/recommend/record';
import { proofDocument } from '../../../../cli/src/features/recommend/report/document';
import { renderTerminal } from '../../../../cli/src/report/text/terminal';
import { sampleProof } from '../../../support/sample-proof';

test('the record of a proof is read as it was written', () => {
  const record = sampleProof();
  const folder = mkdtempSync(join(tmpdir(), 'proof-'));
  writeFileSync(join(folder, 'proof.json'), JSON.stringify(record));
  expect(readProof(folder)).toEqual(record);
});

test('it keeps every attempt, with its run beneath the proof', () => {
  const { verdict, attempts } = sampleProof();
  expect(verdict).toBe('PROVEN');
  expect(attempts.map(({ run, isProven }) => [run, isProven])).toEqual([
    ['runs/regular', false],
    ['runs/queue', true],
  ]);
});

test('the CPU and memory of a role are compared with what its values ask for', () => {
  const { attempts } = sampleProof();
  expect(attempts.at(-1)?.taken[0]).toMatchObject({
    ...{ role: 'main', usedCores: 0.2, peakMiB: 600, limitMiB: 1024 },
  });
});

test('the terminal says by what margin, what was refuted first, and what an hour costs', () => {
  const record = sampleProof();
  const text = renderTerminal(proofDocument(record), { width: 80, colour: false });
  expect(text).toMatch(/^PROVEN /);
  expect(text).toMatch(/Least margin +margin 33.3%: CPU of main/);
  expect(text).toMatch(/Memory of main +600 MiB, 58.6% of its limit of 1,024 MiB/);
  expect(text).toMatch(/Costs +\S+ an hour for/);
  expect(text).toContain('What was refuted first:');
  expect(text.split('\n').every((line) => line.length <= 80)).toBe(true);
});
