#!/usr/bin/env node
// The alerts of the chart on a real cluster, as a real Prometheus there evaluates them: none may fire on an idle and on a
// healthy loaded release, and faults must make theirs fire.
//
//   make build cluster-up && lab/install.sh watchers
//   lab/cluster/cluster exec node monitoring/on-cluster.mjs --list          what there is, and what has a record
//   lab/cluster/cluster exec node monitoring/on-cluster.mjs                 the next part without one
//   lab/cluster/cluster exec node monitoring/on-cluster.mjs kill-worker
//   lab/cluster/cluster exec node monitoring/on-cluster.mjs quiet --for 30m --rate 4
//
// docs/records/alerts-on-cluster.json keeps what was seen, part by part; `npm run generate` makes monitoring/cluster/README.md of it.
// With SHORT=1 a part is tried: `quiet` takes two minutes, and what is seen is printed, not kept. Where others use the
// machine, `quiet --deploy` deploys what `quiet` then watches under light load.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { watchFault } from './cluster/fault.mjs';
import { minutesOf, PARTS } from './cluster/parts.mjs';
import { quiet, quietDown, quietUp } from './cluster/quiet.mjs';
import { changeRecord, readRecord } from './cluster/record.mjs';

const QUIET = 'quiet';
const isShort = process.env.SHORT === '1';

function fails(sentence) {
  console.error(sentence);
  process.exit(2);
}

function argumentsGiven() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        list: { type: 'boolean', default: false },
        deploy: { type: 'boolean', default: false },
        for: { type: 'string', default: isShort ? '2m' : '30m' },
        rate: { type: 'string', default: '4' },
      },
    });
  } catch (error) {
    return fails(`${error.message} The head of this file says what there is.`);
  }
}

const { values, positionals } = argumentsGiven();
const [asked] = positionals;
const isDone = (name) => {
  const { quiet: seen, faults } = readRecord();
  // Of a release that was not healthy, or without a sight of containers, it is measured again.
  return name === QUIET ? seen?.healthy === true && seen.namesContainers === true : name in faults;
};
const names = [QUIET, ...PARTS.map(({ name }) => name)];

if (values.list) {
  for (const part of [{ name: QUIET, lastsSeconds: 1800, afterSeconds: 0 }, ...PARTS]) {
    const state = isDone(part.name) ? 'done   ' : 'missing';
    console.log(`${state} ${part.name.padEnd(18)} about ${minutesOf(part)} min`);
  }
  process.exit(0);
}
const name = asked ?? names.find((one) => !isDone(one));
if (name === undefined) {
  console.log('every part has a record');
  process.exit(0);
}
if (!names.includes(name)) fails(`there is no part '${name}': --list names them`);
if (!/^\d+m$/.test(values.for)) fails(`--for ${values.for} is no number of minutes, like 30m`);
if (!(Number(values.rate) > 0)) fails(`--rate ${values.rate} is no number of requests per second`);
if (!process.env.KUBECONFIG) fails('no KUBECONFIG: run this by lab/cluster/cluster exec');

const interruption = new AbortController();
for (const each of ['SIGINT', 'SIGTERM']) process.on(each, () => interruption.abort());
const scratch = mkdtempSync(join(tmpdir(), 'n8n-tuned-alerts-'));
const around = {
  scratch,
  signal: interruption.signal,
  tell: (text) => console.error(`${new Date().toISOString().slice(11, 19)} ${name}: ${text}`),
};

const told = ({ alerts }) =>
  alerts
    .filter(({ pending, firing }) => pending !== null || firing !== null)
    .map(({ alert, pending, firing }) =>
      firing === null
        ? `${alert} pending after ${pending.afterSeconds} s`
        : `${alert} fires after ${firing.afterSeconds} s`,
    )
    .join(', ') || 'none pending, none fires';

try {
  if (values.deploy) await quietUp(around.tell);
  else if (name === QUIET) {
    try {
      const seen = await quiet({
        ...{ seconds: 60 * parseInt(values.for, 10), ratePerSecond: Number(values.rate) },
        ...around,
      });
      if (!isShort) changeRecord((all) => ({ ...all, quiet: seen }));
      if (!seen.healthy) console.log('the loaded release was not healthy: measure it again');
      for (const side of ['idle', 'loaded']) console.log(`${side}: ${told(seen[side])}`);
      if (isShort) console.log(JSON.stringify(seen, null, 2));
    } finally {
      await quietDown();
    }
  } else {
    const part = PARTS.find((one) => one.name === name);
    const seen = await watchFault(part, around);
    if (!isShort) changeRecord((all) => ({ ...all, faults: { ...all.faults, [name]: seen } }));
    console.log(`${name}: ${told(seen)}`);
    if (isShort) console.log(JSON.stringify(seen, null, 2));
  }
} catch (error) {
  console.error(
    interruption.signal.aborted ? `interrupted: nothing is kept of ${name}` : error.message,
  );
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
