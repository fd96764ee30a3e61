// V8's limits as a running process itself sees them: its inspector is opened by SIGUSR1 and asked.
import type { Release } from './release';

const ASK = `
const { createRequire } = require('node:module');
const { readdirSync, readFileSync } = require('node:fs');
const Socket = globalThis.WebSocket ?? createRequire('/opt/n8n/node_modules/n8n/package.json')('ws');
const argv = (pid) => readFileSync('/proc/' + pid + '/cmdline', 'utf8').split('\\0');
const wanted = process.argv[1];
const pid = readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid).find((name) => {
  try { const args = argv(name); return /node$/.test(args[0]) && args.some((arg) => arg.includes(wanted)); } catch { return false; }
});
if (pid === undefined) throw new Error('no process ' + wanted);
const pause = () => new Promise((resolve) => setTimeout(resolve, 200));
(async () => {
  process.kill(Number(pid), 'SIGUSR1');
  let target;
  for (let i = 0; i < 150 && !target; i++) {
    await pause();
    target = await fetch('http://127.0.0.1:9229/json/list').then((r) => r.json()).then((l) => l[0]).catch(() => undefined);
  }
  if (!target) throw new Error('the inspector of ' + wanted + ' does not open');
  const socket = new Socket(target.webSocketDebuggerUrl);
  await new Promise((resolve) => { socket.onopen = resolve; });
  const ask = (expression) => new Promise((resolve) => {
    socket.onmessage = ({ data }) => resolve(JSON.parse(data).result);
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression, returnByValue: true } }));
  });
  const { result } = await ask('({ pid: process.pid, limit: process.getBuiltinModule ? process.getBuiltinModule("v8").getHeapStatistics().heap_size_limit : process.mainModule.require("v8").getHeapStatistics().heap_size_limit, options: process.env.NODE_OPTIONS })');
  socket.send(JSON.stringify({ id: 2, method: 'Runtime.evaluate', params: { expression: 'setTimeout(() => process._debugEnd(), 100)' } }));
  console.log(JSON.stringify({ ...result.value, asked: Number(pid) }));
  process.exit(0);
})().catch((error) => { console.error(error.message); process.exit(1); });
`;

export interface SeenHeap {
  limitMiB: number;
  /** NODE_OPTIONS of the process itself. */
  options: string;
}

/** The heap of the Node.js process in that pod whose command line holds `program`. */
export async function heapOf(release: Release, pod: string, program: string): Promise<SeenHeap> {
  const answer = await release.exec(pod, 'env', 'NODE_OPTIONS=', 'node', '-e', ASK, program);
  const { limit, options, pid, asked } = JSON.parse(answer.split('\n').at(-1) ?? '') as {
    limit: number;
    options: string;
    pid: number;
    asked: number;
  };
  if (pid !== asked) throw new Error(`process ${pid} answered for ${asked}`);
  return { limitMiB: limit / 2 ** 20, options };
}
