// Enforces the NetworkPolicies of the native cluster for as long as it runs, by iptables of its node.
//
//   lab/cluster/cluster exec npx tsx lab/cluster/policies/enforce.ts
//
// It looks at policies and pods twice a second: a pod is let through for that long after it has come.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CHAIN, restored, type Restored, type Seen } from './rules';

const LOOK_EVERY_MS = 500;
const PASSED = ['FORWARD', 'INPUT'];
const run = promisify(execFile);

if (!process.env['KUBECONFIG']) {
  console.error('no KUBECONFIG: run this by lab/cluster/cluster exec');
  process.exit(2);
}

async function list<Kind>(kind: string): Promise<Kind[]> {
  const words = ['get', '--raw', kind];
  const { stdout } = await run('kubectl', words, { maxBuffer: 64 * 1024 * 1024 });
  return (JSON.parse(stdout) as { items: Kind[] }).items;
}

async function seen(): Promise<Seen> {
  const [policies, pods, namespaces] = await Promise.all([
    list<Seen['policies'][number]>('/apis/networking.k8s.io/v1/networkpolicies'),
    list<Seen['pods'][number]>('/api/v1/pods'),
    list<Seen['namespaces'][number]>('/api/v1/namespaces'),
  ]);
  return { policies, pods, namespaces };
}

function restore(text: string): void {
  const { status, stderr } = spawnSync('iptables-restore', ['--noflush'], {
    ...{ input: text, encoding: 'utf8' },
  });
  if (status !== 0) throw new Error(`iptables-restore: ${stderr}`);
}

const ends = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    ends.abort();
  });
}

let applied: Restored = { text: '', names: [] };
let isHooked = false;
try {
  while (!ends.signal.aborted) {
    const next = restored(await seen(), applied.names);
    if (next.text !== applied.text) {
      restore(next.text);
      applied = next;
      if (!isHooked) {
        for (const chain of PASSED) execFileSync('iptables', ['-I', chain, '1', '-j', CHAIN]);
        isHooked = true;
        console.log('NetworkPolicies are enforced');
      }
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: ends.signal }).catch(() => undefined);
  }
} finally {
  if (isHooked) {
    for (const chain of PASSED) execFileSync('iptables', ['-D', chain, '-j', CHAIN]);
    restore(
      [
        '*filter',
        ...[CHAIN, ...applied.names].map((name) => `:${name} - [0:0]`),
        ...[CHAIN, ...applied.names].map((name) => `-X ${name}`),
        'COMMIT',
        '',
      ].join('\n'),
    );
  }
}
