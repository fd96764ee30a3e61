#!/usr/bin/env node
// Runs n8n-tuned in a network of its own, with a loopback and nothing else: rules of iptables go with it.
//   node studies/balancing/own-network.mjs sweep -f studies/balancing.yaml
// It takes root, or a machine on which everyone may make user namespaces.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../cli/dist/cli.js', import.meta.url));
const isRoot = process.getuid() === 0;
const child = spawn(
  'unshare',
  [
    ...(isRoot ? [] : ['--map-root-user']),
    ...['--net', 'sh', '-c', 'PATH=$PATH:/usr/sbin:/sbin; ip link set lo up && exec "$@"', 'sh'],
    ...[process.execPath, command, ...process.argv.slice(2)],
  ],
  { stdio: 'inherit' },
);
// Ctrl-C reaches all of the process group, and the command ends in order.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('error', ({ message }) => {
  console.error(`unshare cannot be run: ${message}`);
  process.exitCode = 2;
});
child.on('exit', (code) => {
  process.exitCode = code ?? 3;
});
