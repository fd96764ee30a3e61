// Makes sandboxes for expressions with n8n's own bridge, one before the patches have decided and one after, and writes what
// isolated-vm compiled for each and what an expression gave there. Reads {runtime, inForce, compileCache, isSync}: the folder of
// @n8n/expression-runtime and the script that knows which patches are in force.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { runtime, inForce, compileCache, isSync } = JSON.parse(readFileSync(0, 'utf8'));
const { IsolatedVmBridge } = createRequire(join(runtime, 'package.json'))('./dist/cjs/index.js');
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const short = (text) => createHash('sha256').update(text).digest('hex').slice(0, 8);
const CODE = `return [this.extend('Ü', 'replaceSpecialChars', []), this.$now.zoneName, this.$json.a]`;

async function sandbox() {
  const bridge = new IsolatedVmBridge({ logger, compileCache, memoryLimit: 128, timeout: 5000 });
  // n8n up to 2.39 has but the other one.
  if (isSync && bridge.initializeSync) bridge.initializeSync();
  else await bridge.initialize();
  const result = bridge.execute(CODE, { $json: { a: 'value' } }, { timezone: 'Asia/Tokyo' });
  const last = globalThis.compiled.at(-1);
  await bridge.dispose();
  return { result, text: last && short(last.code), hasCache: last?.hasCache };
}

async function main() {
  const { states } = require(inForce);
  const begunMs = Date.now();
  const first = await sandbox();
  const tookMs = Date.now() - begunMs;
  const before = states();
  while (Object.values(states()).includes('waiting')) await sleep(50);
  const later = [await sandbox(), await sandbox()];
  process.stdout.write(JSON.stringify({ first, later, before, states: states(), tookMs }));
}

void main();
