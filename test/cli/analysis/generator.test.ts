import fc from 'fast-check';
import { generatorFaults } from '../../../cli/src/analysis/generator';
import { allowedLatenessMs } from '../../../loadtests/lib/lateness';
import { parseSlos } from '../../../loadtests/lib/slo';

const fine = {
  cpuCores: 0.2,
  coresAvailable: 2,
  notSent: 0,
  latenessMs: { p50: 0.6, p99: 3, max: 20 },
  newConnections: 4,
};
const none = { requests: 0, share: 0, byKind: {} };
const SLOS = parseSlos('p95<300ms,p99<1s,errors<1%');

describe('the load generator', () => {
  it('has no fault that sent everything in time with CPU to spare', () => {
    expect(generatorFaults({ generator: fine, errors: none }, SLOS)).toEqual([]);
  });

  it('may be late by a tenth of the smallest threshold of a latency, at the 99th percentile', () => {
    expect(allowedLatenessMs(SLOS)).toBe(30);
    expect(allowedLatenessMs(parseSlos('p95<10ms'))).toBe(5);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 5000, noNaN: true }), (p99) => {
        const generator = { ...fine, latenessMs: { p50: 0, p99, max: p99 } };
        const faults = generatorFaults({ generator, errors: none }, SLOS);
        expect(faults.length > 0).toBe(p99 > 30);
      }),
    );
  });

  it.each([
    ['requests not sent', { ...fine, notSent: 1 }, none, 'could not be sent'],
    ['CPU', { ...fine, cpuCores: 0.19, coresAvailable: 0.2 }, none, '0.19 of the 0.2 cores'],
    ['sockets', fine, { requests: 3, share: 0.1, byKind: { 'no socket': 3 } }, 'no free socket'],
  ])('is at fault for %s', (_what, generator, errors, words) => {
    const [fault] = generatorFaults({ generator, errors }, SLOS);
    expect(fault?.text).toContain(words);
  });

  it('is not judged by lateness in a closed loop', () => {
    const generator = { ...fine, latenessMs: null };
    expect(generatorFaults({ generator, errors: none }, SLOS)).toEqual([]);
  });
});
