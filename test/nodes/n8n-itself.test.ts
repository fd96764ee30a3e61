/** What the kit says of n8n itself: its retry (docs/drills.md) and how it deletes executions (docs/chart/data.md). */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { n8nFolder, node24 } from './support/lab';
import { N8N_VERSION } from '../support/versions';
import { MAX_DELETED_PER_DAY } from '../../cli/src/features/recommend/kept-data';

const N8N = n8nFolder(N8N_VERSION);

test('a retry of an execution that has stalled runs no node, and is a success', () => {
  const out = execFileSync(node24(), [join(__dirname, 'support/retry-host.ts')], {
    env: { ...process.env, N8N_INSTALLATION: N8N },
    encoding: 'utf8',
  });
  expect(JSON.parse(out)).toEqual({
    stalled: { status: 'success', finished: true, nodesRun: 0 },
    begun: { status: 'success', finished: true, nodesRun: 1 },
  });
});

test('n8n writes such data when a job has stalled', () => {
  const source = readFileSync(join(N8N, 'dist/workflow-runner.js'), 'utf8');
  const written = source.slice(source.indexOf('const fullRunData'));
  expect(written.slice(0, 500)).toMatch(
    /createRunExecutionData\)\(\{\s*resultData: \{[^}]*\},\s*runData: \{\},\s*\},\s*\}\),\s*finished: false/,
  );
});

const read = (file: string): string => readFileSync(join(N8N, 'dist', file), 'utf8');

test('n8n deletes a batch of executions, and the next one a second later at the earliest', () => {
  const source = read('services/pruning/executions-pruning.service.js');
  const batch = Number(/this\.batchSize = (\d+);/.exec(source)?.[1]);
  expect(source).toMatch(
    /if \(refs\.length >= this\.batchSize\)\s+return 1 \* constants_1\.Time\.seconds\.toMilliseconds;/,
  );
  const repository = readFileSync(
    join(N8N, '../@n8n/db/dist/repositories/execution.repository.js'),
    'utf8',
  );
  expect(Number(/this\.hardDeletionBatchSize = (\d+);/.exec(repository)?.[1])).toBe(batch);
  expect(batch * 24 * 60 * 60).toBe(MAX_DELETED_PER_DAY);
});

test('n8n leaves an execution that it does not save to the same timer, unless pruning is off', () => {
  const source = read('executions/execution-persistence.js');
  const [, body = ''] = source.split('async deleteInFlightExecution(target) {');
  expect(body.slice(0, 600)).toMatch(
    /if \(this\.executionsConfig\.pruneData\) \{[^}]*update\(target\.executionId, \{ deletedAt \}\);\s+\}\s+else \{\s+await this\.hardDelete\(target\);/,
  );
  expect(read('execution-lifecycle/execution-lifecycle-hooks.js')).toContain(
    'executionPersistence.deleteInFlightExecution({',
  );
});
