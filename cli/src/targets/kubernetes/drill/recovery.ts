/** One pass of the chart's own recovery, in the container of main: there n8n and its Redis are reached as n8n reaches them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartFolder } from '../../../plan/environment';
import { Failure } from '../../../ui/exit';
import type { RecoveryReach } from '../../target';
import type { V1Pod } from '../api/api-types';
import { seatsOf } from '../pods/pods';
import { seatOfRole, type ContainerPlace } from './in-container';
import { PodApi } from '../pods/n8n-api';

const SCRIPT = join('files', 'recover.cjs');

/** Takes one line, with a script and its variables, and runs it; stdin is not closed from outside. */
const RUN_LINE = `
require('node:readline').createInterface({ input: process.stdin }).once('line', (line) => {
  const { env, script } = JSON.parse(line);
  const { N8N_PORT = '5678' } = process.env;
  Object.assign(process.env, env, { N8N_URL: 'http://127.0.0.1:' + N8N_PORT });
  process.stdin.destroy();
  const Module = require('node:module');
  const own = new Module('/recover.cjs');
  own._compile(script, '/recover.cjs');
});
`;

const METRICS_PORT = 5678;

/** What the chart's job finds by a Service: the metrics of each worker that runs, at the address of its pod. */
function workerMetrics(pods: readonly V1Pod[]): string {
  return pods
    .filter((pod) => seatsOf([pod]).some(({ role }) => role === 'worker'))
    .flatMap(({ status }) => status?.podIP ?? [])
    .map((ip) => (ip.includes(':') ? `[${ip}]` : ip))
    .map((host) => `http://${host}:${String(METRICS_PORT)}/metrics`)
    .join(',');
}

export async function recoveryReach(
  place: ContainerPlace,
  scopes: readonly string[],
): Promise<RecoveryReach> {
  const { cluster, namespace } = place;
  const script = readFileSync(join(chartFolder(), SCRIPT), 'utf8');
  const { pod, container } = seatOfRole(place, 'main');
  const api = await PodApi.ofNewOwner(cluster, { namespace, pod, container }, scopes);
  return {
    api,
    pass: async (variables, signal) => {
      // Main may have been replaced since.
      const main = seatOfRole(place, 'main');
      const env = {
        ...{ ...variables, N8N_API_KEY: api.key, RECOVERY_REPORT: 'json' },
        RECOVERY_WORKER_METRICS: workerMetrics(place.pods()),
      };
      let text = '';
      await cluster.exec(
        { namespace, pod: main.pod, container: main.container },
        ['env', '-u', 'NODE_OPTIONS', 'node', '--no-warnings', '-e', RUN_LINE],
        {
          onOutput: (more) => {
            text += more;
            return null;
          },
          ...{ input: `${JSON.stringify({ env, script })}\n`, signal },
        },
      );
      const report = text.split('\n').find((line) => line.startsWith('{'));
      if (report === undefined) throw new Failure(text.trim() || 'recovery printed nothing');
      return JSON.parse(report) as unknown;
    },
  };
}
