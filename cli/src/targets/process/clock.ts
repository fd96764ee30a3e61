/** The time that a process of n8n reads, which a drill can shift while the process runs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../ui/exit';
import type { ProcessSpec } from './supervisor';
import type { Workspace } from './workspace';

const LOOK_MS = 100;
const WITHIN_MS = 10_000;
const VARIABLE = 'N8N_TUNED_CLOCK';

/**
 * Loaded before n8n. As when the clock of a machine is set, Date jumps, and timers and performance.now() go on as they
 * were. It tells in a file by how much the time is shifted, and how often it was read since.
 */
const PRELOAD = `'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const file = process.env.${VARIABLE};
const Real = Date;
const realNow = Real.now.bind(Real);
let byMs = 0;
let reads = 0;
const now = () => {
  reads += 1;
  return realNow() + byMs;
};
Real.now = now;
globalThis.Date = new Proxy(Real, {
  apply: () => new Real(now()).toString(),
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made),
});
Object.defineProperty(Real.prototype, 'constructor', { value: globalThis.Date, configurable: true, writable: true });
setInterval(() => {
  let asked;
  try {
    asked = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return;
  }
  if (asked.pid !== process.pid) return;
  if (asked.byMs !== byMs) {
    byMs = asked.byMs;
    reads = 0;
  }
  writeFileSync(file + '.seen', JSON.stringify({ byMs, reads }));
}, ${String(LOOK_MS)}).unref();
`;

const fileOf = (spec: Pick<ProcessSpec, 'folder'>): string => join(spec.folder, 'clock');

/** Started like this, its time can be shifted. */
export function withClock(spec: ProcessSpec, workspace: Workspace): ProcessSpec {
  const preload = workspace.writeConfig('clock.cjs', PRELOAD);
  const before = spec.env['NODE_OPTIONS'];
  const option = `--require=${preload}`;
  return {
    ...spec,
    env: {
      ...spec.env,
      NODE_OPTIONS: before === undefined ? option : `${option} ${before}`,
      [VARIABLE]: fileOf(spec),
    },
  };
}

/** Shifts the time of this process; what is returned sets it right, and tells how often it was read meanwhile. */
export async function jumpClock(
  spec: ProcessSpec,
  pid: number,
  byMs: number,
): Promise<() => Promise<number>> {
  await shift(spec, pid, byMs);
  return async () => {
    const { reads } = seen(spec);
    await shift(spec, pid, 0);
    return reads;
  };
}

async function shift(spec: ProcessSpec, pid: number, byMs: number): Promise<void> {
  writeFileSync(fileOf(spec), JSON.stringify({ pid, byMs }), { mode: 0o644 });
  const giveUpMs = performance.now() + WITHIN_MS;
  while (!existsSync(seenIn(spec)) || seen(spec).byMs !== byMs) {
    if (performance.now() > giveUpMs)
      throw new Failure(`${spec.instance} did not accept the new time`);
    await sleep(LOOK_MS);
  }
}

const seenIn = (spec: ProcessSpec): string => `${fileOf(spec)}.seen`;

function seen(spec: ProcessSpec): { byMs: number; reads: number } {
  try {
    return JSON.parse(readFileSync(seenIn(spec), 'utf8')) as { byMs: number; reads: number };
  } catch {
    // It is being written.
    return { byMs: NaN, reads: 0 };
  }
}
