// kube-proxy before bare servers, and before n8n's webhook processors, in pods: run it with lab/cluster/cluster exec.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Measuring, Part, Study } from '../../cli/src/features/study/study';
import { EXIT } from '../../cli/src/ui/exit';
import { whyNoCluster } from '../up';

const NAMESPACE = `n8n-tuned-balancing-${String(process.pid)}`;
/** A client that keeps its connection stays with one pod, so that each run is one draw. */
const BARE_RUNS = 3;
const LOAD = ['--profile', 'closed', '--ready', '5m'];
const file = (name: string): string => join(import.meta.dirname, name);

async function kubectl(...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('kubectl', ['--namespace', NAMESPACE, ...words]);
  return stdout.trim();
}

type Run = (...words: string[]) => Promise<void>;

async function bareServers(run: Run): Promise<void> {
  await kubectl('create', 'namespace', NAMESPACE);
  try {
    await kubectl('create', 'configmap', 'server', `--from-file=${file('server.cjs')}`);
    await kubectl('apply', '--filename', file('pods.yaml'));
    await kubectl('rollout', 'status', 'deployment/bare', '--timeout=2m');
    const address = await kubectl('get', 'service/bare', '-o', 'jsonpath={.spec.clusterIP}');
    const words = ['--url', `http://${address}`, '--workload', file('bare.yaml')];
    const length = ['--vus', '100', '--warmup', '2s', '--duration', '8s'];
    for (let draw = 0; draw < BARE_RUNS; draw += 1)
      for (const connection of ['keep-alive', 'close'])
        await run(...words, '--param', `connection=${connection}`, ...length);
  } finally {
    await kubectl('delete', 'namespace', NAMESPACE, '--wait=false');
  }
}

async function webhookProcessors(run: Run): Promise<void> {
  const words = ['--target', 'kubernetes', '--workload', 'last-node'];
  const layout = ['--mode', 'queue', '--webhooks', '2'];
  const env = ['--env', 'N8N_METRICS_INCLUDE_WEBHOOK_METRICS=true'];
  const length = ['--vus', '16', '--warmup', '3s', '--duration', '15s'];
  for (const header of [[], ['--header', 'connection: close']])
    await run(...words, ...header, ...layout, ...env, ...length);
}

const RUNS: Record<string, (run: Run) => Promise<void>> = {
  'kube-proxy': bareServers,
  'kube-proxy-n8n': webhookProcessors,
};

async function measured({ name }: Part, { show, folder, records, signal }: Measuring) {
  const out = join(folder, name);
  const codes: number[] = [];
  await RUNS[name]?.(async (...words) => {
    signal.throwIfAborted();
    codes.push(await show(['run', ...words, ...LOAD, '--out', out]));
  });
  records.take(out);
  const worst = Math.max(EXIT.fine, ...codes);
  return { sentence: worst === EXIT.fine ? 'measured' : `measured, exit code ${String(worst)}` };
}

export default {
  parts: [
    { name: 'kube-proxy', seconds: 120 },
    { name: 'kube-proxy-n8n', seconds: 200 },
  ],
  quickParts: [],
  whyNot: whyNoCluster,
  measured,
} satisfies Study;
