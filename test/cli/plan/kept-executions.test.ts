import { keptForMs } from '../../../cli/src/plan/kept-executions';
import { topologySchema, TUNINGS } from '../../../cli/src/plan/topology';
import { N8N_LEGACY_VERSION } from '../../support/versions';

/** For how long n8n surely keeps what it has executed. */

const HOUR_MS = 3_600_000;
const kept = (given: object): number => keptForMs(topologySchema.parse(given));

test.each(TUNINGS)('with the tuning %s', (tuning) => {
  const savesAll = tuning === 'none' || tuning === 'default';
  expect(kept({ tuning })).toBe(savesAll ? HOUR_MS : 0);
});

test.each<[string, object, number]>([
  ['failures that are not saved', { EXECUTIONS_DATA_SAVE_ON_ERROR: 'none' }, 0],
  ['successes that are not saved', { EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none' }, 0],
  ['no pruning', { EXECUTIONS_DATA_PRUNE: 'false' }, Infinity],
  ['what is pruned kept for longer', { EXECUTIONS_DATA_HARD_DELETE_BUFFER: '3' }, 3 * HOUR_MS],
])('by variables: %s', (_, env, ms) => {
  expect(kept({ env })).toBe(ms);
  // In queue mode the process that took the request deletes.
  expect(kept({ mode: 'queue', webhooks: { count: 1, env } })).toBe(Math.min(ms, HOUR_MS));
  // Where nothing is deployed, nothing is deleted.
  expect(kept({ mode: 'queue', webhooks: { count: 0, env } })).toBe(HOUR_MS);
  expect(kept({ main: { env }, workers: { count: 1 } })).toBe(ms);
});

test('n8n below 1.0 prunes only where it is told to', () => {
  expect(kept({ n8n: N8N_LEGACY_VERSION })).toBe(Infinity);
  expect(kept({ n8n: N8N_LEGACY_VERSION, env: { EXECUTIONS_DATA_PRUNE: 'true' } })).toBe(0);
});
