import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { n8nFolder, node24 } from './support/lab';
import { N8N_VERSION } from '../support/versions';

/** What docs/drills.md says of n8n's own retry, in n8n's own engine. */

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
