/**
 * The ingress of the native cluster: follows Ingress and Gateway API objects and has nginx route by them.
 * A reload starts new workers and lets the old ones finish what they have.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { follow, patchStatus } from './api.ts';
import { renderNginx } from './nginx.ts';
import type { Objects } from './objects.ts';
import { routing } from './sites.ts';
import { statusPatches } from './status.ts';

const CONFIG = '/tmp/nginx.conf';
const CERTIFICATES = '/tmp/certificates';
/** Several objects mostly change at once. */
const SETTLE_MS = 100;
/** Until the Service no longer sends requests to this pod. */
const LEAVE_MS = 2000;
const DRAIN_MS = 30_000;

const SOURCES: Record<keyof Objects, string> = {
  services: '/api/v1/services',
  secrets: '/api/v1/secrets?fieldSelector=type%3Dkubernetes.io%2Ftls',
  endpointSlices: '/apis/discovery.k8s.io/v1/endpointslices',
  ingresses: '/apis/networking.k8s.io/v1/ingresses',
  gateways: '/apis/gateway.networking.k8s.io/v1/gateways',
  httpRoutes: '/apis/gateway.networking.k8s.io/v1/httproutes',
};

const addresses = {
  ingress: process.env['INGRESS_ADDRESS'] ?? '',
  gateway: process.env['GATEWAY_ADDRESS'] ?? '',
};
const log = (line: string): boolean => process.stderr.write(`ingress: ${line}\n`);

const objects: Partial<Objects> = {};
let nginx: ReturnType<typeof spawn> | undefined;
let loaded = '';
let pending: NodeJS.Timeout | undefined;

const complete = (partial: Partial<Objects>): partial is Objects =>
  Object.keys(SOURCES).every((source) => source in partial);

function startNginx(): void {
  nginx = spawn('nginx', ['-c', CONFIG, '-g', 'daemon off;'], { stdio: 'inherit' });
  nginx.on('exit', (code) => process.exit(code ?? 1));
}

/** Loads what the objects ask for, if it differs from what is loaded. */
function load(all: Objects): void {
  const { sites, files } = routing(all, CERTIFICATES);
  const config = renderNginx(sites);
  const fingerprint = JSON.stringify([config, files]);
  if (fingerprint === loaded) return;
  rmSync(`${CERTIFICATES}.new`, { recursive: true, force: true });
  mkdirSync(`${CERTIFICATES}.new`, { recursive: true });
  for (const { file, content } of files)
    writeFileSync(file.replace(CERTIFICATES, `${CERTIFICATES}.new`), content, { mode: 0o600 });
  writeFileSync(`${CONFIG}.new`, config.replaceAll(`${CERTIFICATES}/`, `${CERTIFICATES}.new/`));
  const test = spawnSync('nginx', ['-t', '-q', '-c', `${CONFIG}.new`], { encoding: 'utf8' });
  if (test.status !== 0) {
    log(`nginx refuses this configuration, the last one stays: ${test.stderr.trim()}`);
    return;
  }
  rmSync(CERTIFICATES, { recursive: true, force: true });
  renameSync(`${CERTIFICATES}.new`, CERTIFICATES);
  writeFileSync(CONFIG, config);
  loaded = fingerprint;
  if (nginx) nginx.kill('SIGHUP');
  else startNginx();
  log(`${sites.reduce((sum, { routes }) => sum + routes.length, 0)} routes loaded`);
}

async function writeStatuses(all: Objects): Promise<void> {
  const now = new Date().toISOString().replace(/\.[0-9]+Z$/, 'Z');
  for (const { path, status } of statusPatches(all, addresses, now)) {
    await patchStatus(path, status).catch((error: Error) => log(error.message));
  }
}

function changed(): void {
  if (pending || !complete(objects)) return;
  pending = setTimeout(() => {
    pending = undefined;
    if (!complete(objects)) return;
    load(objects);
    void writeStatuses(objects);
  }, SETTLE_MS);
}

async function stop(): Promise<void> {
  await sleep(LEAVE_MS);
  nginx?.kill('SIGQUIT');
  await sleep(DRAIN_MS);
  process.exit(0);
}

execFileSync('openssl', [
  ...[
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '3650',
  ],
  ...[
    '-subj',
    '/CN=n8n-tuned ingress',
    '-keyout',
    '/tmp/fallback.key',
    '-out',
    '/tmp/fallback.crt',
  ],
]);
process.on('SIGTERM', () => void stop());
for (const source of Object.keys(SOURCES) as (keyof Objects)[]) {
  void follow(SOURCES[source], (all) => {
    Object.assign(objects, { [source]: all });
    changed();
  });
}
