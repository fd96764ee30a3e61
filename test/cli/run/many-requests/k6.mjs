#!/usr/bin/env node
// Stands in for k6: writes the lines of loadtests/lib/print.ts for every request of the plan as fast as they are
// read, without a network. 64 requests are open at a time, and each latency is known: see latencyMs.
import { once } from 'node:events';

const OPEN = 64;
const PIECE = 65_536;

/** Exponential above 5 ms, its quantiles one after the other in an order that looks random. */
const STEPS = 10_007;
export const latencyMs = (index) => {
  const share = (((index * 3_571) % STEPS) + 0.5) / STEPS;
  return Math.round(1000 * (5 - 40 * Math.log(1 - share))) / 1000;
};

const valueOf = (name) => {
  const given = process.argv.find((word) => word.startsWith(`${name}=`)) ?? `${name}=`;
  return given.slice(name.length + 1);
};

async function load() {
  const { stages } = JSON.parse(valueOf('PLAN'));
  const runId = valueOf('RUN_ID');
  const [{ durationSeconds, fromRatePerSecond }] = stages;
  const requests = Math.round(durationSeconds * fromRatePerSecond);
  const beganAtMs = Date.now();
  let piece = '';
  for (let i = 0; i < requests + OPEN; i += 1) {
    if (i < requests) {
      const dueMs = Math.round((1e6 * i) / fromRatePerSecond) / 1000;
      piece += `["b","${runId}-0-${i}",${dueMs},0.125,${beganAtMs},"request"]\n`;
    }
    const done = i - OPEN;
    if (done >= 0) {
      const [status, kind] = done % 100 === 50 ? [500, 'status 500'] : [200, ''];
      piece += `["e","${runId}-0-${done}",${latencyMs(done)},${status},"${kind}","host/${done % 8}/worker",0]\n`;
    }
    if (piece.length < PIECE) continue;
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
    piece = '';
  }
  process.stdout.write(piece);
}

if (process.argv[2] === 'run') await load();
else console.log('k6 v0.0.0 (a stand-in that makes no requests)');
