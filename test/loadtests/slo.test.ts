import { parseSlos, DEFAULT_ERRORS, waitingMs, withErrorBound } from '../../loadtests/lib/slo';

describe('an SLO', () => {
  it.each([
    ['p95<6s', 'p95', '<', 6000],
    ['p95 <= 300ms', 'p95', '<=', 300],
    ['p99.9<1.5s', 'p99.9', '<', 1500],
    ['mean<1m', 'mean', '<', 60_000],
    ['errors<1%', 'errors', '<', 0.01],
    ['errors=0%', 'errors', '=', 0],
    ['throughput>=95%', 'throughput', '>=', 0.95],
    ['backlog==0', 'backlog', '=', 0],
  ])('%s is read', (text, metric, operator, bound) => {
    expect(parseSlos(text)).toEqual([{ text, metric, operator, bound }]);
  });

  it('has a bound of errors beside it, of its own or the usual one', () => {
    const texts = (text: string): string[] =>
      withErrorBound(parseSlos(text)).map((slo) => slo.text);
    expect(texts('p95<6s')).toEqual(['p95<6s', 'errors<5%']);
    expect(texts('throughput>=95%')).toEqual(['throughput>=95%', 'errors<5%']);
    expect(texts('p95<6s,errors<50%')).toEqual(['p95<6s', 'errors<50%']);
    expect(parseSlos(DEFAULT_ERRORS.text)).toEqual([DEFAULT_ERRORS]);
  });

  it('may be several', () => {
    expect(parseSlos('p95<6s, errors<1%').map(({ text }) => text)).toEqual(['p95<6s', 'errors<1%']);
  });

  it.each([
    ['p95<3', 'needs a time with its unit'],
    ['p95<3%', 'needs a time with its unit'],
    ['p97<3s', 'names no known metric'],
    ['error<1%', 'names no known metric (did you mean errors?)'],
    ['errors<1', 'needs a percent sign'],
    ['throughput>=200%', 'more than 100%'],
    ['backlog<1s', 'has a unit'],
    ['fast', 'is not understood'],
    ['', 'is empty'],
  ])('%p is refused: %s', (text, because) => {
    expect(() => parseSlos(text)).toThrow(because);
  });
});

describe('how long responses are waited for', () => {
  const waited = (givenMs: number | undefined, slo: string): number =>
    waitingMs('--timeout', givenMs, '60s', parseSlos(slo));

  it('is as usual if no SLO allows a latency near it', () => {
    expect(waited(undefined, 'p95<300ms')).toBe(60_000);
    expect(waited(undefined, 'errors<1%')).toBe(60_000);
    // A lower bound is met by what is slow.
    expect(waited(undefined, 'p50>90s')).toBe(60_000);
  });

  it('is twice the largest latency that an SLO allows, if the usual time is shorter', () => {
    expect(waited(undefined, 'p50<1s,p99<40s,max<90s')).toBe(180_000);
  });

  it('is what was given, if that is longer than every latency that an SLO allows', () => {
    expect(waited(6001, 'p99<6s')).toBe(6001);
    expect(waited(1000, 'errors<1%')).toBe(1000);
  });

  it.each([5000, 6000])(
    'may not be %d ms for an SLO of 6 s, which could not be missed',
    (givenMs) => {
      expect(() => waited(givenMs, 'p50<1s,p99<=6s')).toThrow(
        `--timeout is ${String(givenMs / 1000)} s, so requests without a response would not miss the SLO p99<=6s: set --timeout to more than 6 s, or leave it out`,
      );
    },
  );
});
