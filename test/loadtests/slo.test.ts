import { parseSlos, DEFAULT_ERRORS, withErrorBound } from '../../loadtests/lib/slo';

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
