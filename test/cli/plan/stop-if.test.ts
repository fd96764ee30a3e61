import fc from 'fast-check';
import { StopRule, metricIn, type StopLook } from '../../../cli/src/run/analysis/stop-rule';
import { parseStopIf } from '../../../cli/src/plan/stop-if';

test.each([
  [
    'https://shop.example.com/health fails for 30s',
    { kind: 'fails', method: 'GET', url: 'https://shop.example.com/health', forSeconds: 30 },
  ],
  [
    'HEAD http://10.0.0.5:8080/ fails',
    { kind: 'fails', method: 'HEAD', url: 'http://10.0.0.5:8080/', forSeconds: 10 },
  ],
  [
    'errors>5% of POST https://shop.example.com/webhook/order for 1m',
    { kind: 'errors', method: 'POST', above: 0.05, forSeconds: 60 },
  ],
  ['errors > 0% https://a.example/', { kind: 'errors', method: 'GET', above: 0, forSeconds: 10 }],
  [
    'n8n_nodejs_eventloop_lag_p99_seconds>1.5 for 20s',
    {
      ...{ kind: 'metric', metric: 'n8n_nodejs_eventloop_lag_p99_seconds' },
      ...{ operator: '>', bound: 1.5, forSeconds: 20 },
    },
  ],
  ['n8n_instance_role_leader < 1', { kind: 'metric', operator: '<', bound: 1, forSeconds: 10 }],
])('%s is understood', (text, condition) => {
  expect(parseStopIf(text)).toMatchObject(condition);
});

test.each([
  ...['', 'health', 'errors>5%', 'errors>500% https://a.example', 'errors<5% https://a.example'],
  ...['https://a.example', 'ftp://a.example fails', 'https://me:secret@a.example fails'],
  ...['x>1 for ever', 'x>', 'https://a.example fails for 0s', 'errors>5'],
])("'%s' is refused in a sentence that says how to write it", (text) => {
  expect(() => parseStopIf(text)).toThrow(
    /^--stop-if '.*' (is not understood: use|has no time after 'for': use)/,
  );
});

test('a secret of a URL is in no text of the condition', () => {
  const { text } = parseStopIf('https://a.example/health?token=s3cret fails');
  expect(text).not.toContain('s3cret');
});

/** One look a second, each of 0.1 s. */
const looks = (bad: readonly boolean[]): StopLook[] =>
  bad.map((isBad, index) => ({
    ...{ beganMs: 1000 * index, endedMs: 1000 * index + 100 },
    bad: isBad ? 'status 503' : null,
  }));

/** At which look the load ends; -1: at none. */
const endsAt = (text: string, bad: readonly boolean[]): number => {
  const rule = new StopRule(parseStopIf(text));
  return looks(bad).findIndex((look) => rule.see(look) !== null);
};

describe('the load ends', () => {
  const history = fc.array(fc.boolean(), { maxLength: 60 });

  test('when a URL has failed for as long as that, and not before', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 15 }), (bad, seconds) => {
        const at = endsAt(`https://a.example fails for ${String(seconds)}s`, bad);
        const expected = bad.findIndex(
          (_, index) =>
            index >= seconds && bad.slice(index - seconds, index + 1).every((each) => each),
        );
        expect(at).toBe(expected);
      }),
    );
  });

  test('when more than that share of the responses of a whole window were errors', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 99 }), (bad, share) => {
        const at = endsAt(`errors>${String(share)}% https://a.example for 5s`, bad);
        const expected = bad.findIndex((_, index) => {
          const window = bad.slice(Math.max(0, index - 4), index + 1);
          const errors = window.filter((each) => each).length;
          return index >= 5 && errors > (share / 100) * window.length;
        });
        expect(at).toBe(expected);
      }),
    );
  });

  test('with a sentence that says what was seen, and for how long', () => {
    const rule = new StopRule(parseStopIf('https://a.example fails for 2s'));
    const said = looks([true, true, true]).map((look) => rule.see(look));
    expect(said).toEqual([null, null, 'https://a.example fails for 2s (status 503, for 2 s)']);
  });
});

test('of several series of a metric the highest counts, or the lowest', () => {
  const text =
    '# TYPE n8n_lag gauge\nn8n_lag{a="1"} 0.5\nn8n_lag 2\nn8n_lag_other 9\nn8n_lag{a="2"} NaN\n';
  expect(metricIn([text, 'n8n_lag{b="}"} 3e1'], 'n8n_lag', 'highest')).toBe(30);
  expect(metricIn([text, ''], 'n8n_lag', 'lowest')).toBe(0.5);
  expect(metricIn([text], 'n8n_la', 'lowest')).toBeNull();
});
