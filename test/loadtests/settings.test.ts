import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../loadtests/lib/settings';
import { GROUPS, VARIABLES } from '../../loadtests/lib/variables';
import { findFault } from '../../cli/src/features/drill/faults';
import { didYouMean, unknown } from '../../loadtests/lib/nearest';

const catalogue = join(__dirname, '../../workflows/catalogue.json');
const requestsWith = (env: Record<string, string>) =>
  readSettings('load', env, (file) => readFileSync(file, 'utf8'), catalogue).requests;

describe('headers, one per line', () => {
  const HEADERS = 'x-load-key: secret\nx-shop: 7';

  it('go with a request of the user', () => {
    const [request] = requestsWith({ REQUEST: 'GET /webhook/order', HEADERS });
    expect(request?.headers).toEqual({ 'x-load-key': 'secret', 'x-shop': '7' });
  });

  it('go with every request of a workload, besides its own headers', () => {
    const [upload] = requestsWith({ WORKLOAD: 'binary', HEADERS });
    expect(upload?.headers).toEqual({
      'content-type': 'application/octet-stream',
      'x-load-key': 'secret',
      'x-shop': '7',
    });
    const keys = requestsWith({ WORKLOAD: 'mixed', HEADERS }).map(
      ({ headers }) => headers['x-load-key'],
    );
    expect(new Set(keys)).toEqual(new Set(['secret']));
  });

  it('must have a name', () => {
    expect(() => requestsWith({ WORKLOAD: 'cpu', HEADERS: 'secret' })).toThrow(
      "the header 'secret' is not understood",
    );
  });
});

describe('a variable', () => {
  const names = Object.keys(VARIABLES);
  const source = readFileSync(join(__dirname, '../../loadtests/lib/settings.ts'), 'utf8');
  const readme = readFileSync(join(__dirname, '../../loadtests/README.md'), 'utf8');

  it.each(names)('%s is read, and is in the README once', (name) => {
    expect(source).toMatch(new RegExp(`env\\.${name}\\b|'${name}'`));
    expect(readme.match(new RegExp(`^\\| \`${name}\` `, 'gm'))).toHaveLength(1);
  });

  it('belongs to one group', () => {
    expect(Object.values(GROUPS).flatMap((group) => Object.keys(group))).toEqual(names);
  });

  it.each([
    ['HTTP', '2', "HTTP is '2': it must be 1.1 or not set"],
    ['COOKIES', 'no', "COOKIES is 'no': it must be keep"],
    ['SUMMARY', 'long', "SUMMARY is 'long': it must be short"],
  ])('%s=%s is refused', (name, value, because) => {
    expect(() => requestsWith({ REQUEST: 'GET /x', [name]: value })).toThrow(because);
  });
});

test('a word that is nearly a known one is taken for it', () => {
  expect(didYouMean('kubernets', ['load', 'kubernetes'])).toBe(' (did you mean kubernetes?)');
});

test('exchanged letters are put right before another letter is proposed', () => {
  expect(didYouMean('p59', ['p50', 'p90', 'p95'])).toBe(' (did you mean p95?)');
});

test('a word of one letter is near to none', () => {
  expect(didYouMean('m', ['n', 'kib'])).toBe('');
});

test('a name that there is not is told with what was probably meant, and all that there are', () => {
  expect(unknown('profile', 'spke', ['load', 'spike'])).toBe(
    "there is no profile 'spke' (did you mean spike?): choose one of load, spike",
  );
});

test('a mistyped fault gets the right one proposed', () => {
  expect(() => findFault('kill-workr')).toThrow(
    "there is no fault 'kill-workr' (did you mean kill-worker?): choose one of kill-worker, kill-main,",
  );
});

describe('TIMEOUT and DRAIN', () => {
  const timesWith = (env: Record<string, string>) => {
    const { timeoutMs, drainMs } = readSettings(
      'load',
      { REQUEST: 'GET /x', RATE: '1', ...env },
      (file) => readFileSync(file, 'utf8'),
      catalogue,
    );
    return { timeoutMs, drainMs };
  };

  it('are longer by themselves if an SLO allows longer latencies', () => {
    expect(timesWith({ SLO: 'p95<1s' })).toEqual({ timeoutMs: 60_000, drainMs: 30_000 });
    expect(timesWith({ SLO: 'p95<40s' })).toEqual({ timeoutMs: 80_000, drainMs: 80_000 });
  });

  it.each(['TIMEOUT', 'DRAIN'])('%s may not hide that an SLO is missed', (name) => {
    expect(() => timesWith({ SLO: 'p95<6s', [name]: '5s' })).toThrow(
      `${name} is 5 s, so requests without a response would not miss the SLO p95<6s`,
    );
  });
});
