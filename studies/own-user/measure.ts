// Whether passwords of the stores and a user of its own change what n8n carries: the command as it was before, from a
// checkout of then, and as it is now, both up at the same time and loaded in turns.
//
//   git worktree add ../before 671315c1 && (cd ../before && npm ci && npm run build)
//   BEFORE=../before n8n-tuned study own-user --keep
//
// A checkout of now in its place shows how far equal builds differ.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { CompareRecord } from '../../cli/src/features/compare/record';
import type { Measuring, Part, Study } from '../../cli/src/features/study/study';
import type { Up } from '../up';

const TOPOLOGIES = {
  regular: ['--mode', 'regular'],
  queue: ['--mode', 'queue', '--workers', '1'],
};
const CLIENTS = 8;
const SIDES = ['before', 'now'] as const;
type Side = (typeof SIDES)[number];

interface OwnUserPart extends Part {
  name: keyof typeof TOPOLOGIES;
}

const cliOf = (checkout: string): string => join(resolve(checkout), 'cli/dist/cli.js');
const checkouts = (): Record<Side, string> => ({
  before: process.env['BEFORE'] ?? '',
  now: join(import.meta.dirname, '../..'),
});

/** Not interrupted: what is up has to come down. */
async function call(side: Side, ...args: string[]): Promise<string> {
  const checkout = checkouts()[side];
  const words = [cliOf(checkout), ...args];
  return (await promisify(execFile)(process.execPath, words, { cwd: resolve(checkout) })).stdout;
}

const nameOf = (side: Side): string => `own-user-${side}`;
const down = (side: Side): Promise<string> => call(side, 'down', nameOf(side));

async function up(side: Side, topology: readonly string[]) {
  const begun = performance.now();
  const said = await call(
    ...([side, 'up', '--name', nameOf(side), '--workload', 'last-node'] as const),
    ...['--tuning', 'throughput', ...topology, '--json'],
  );
  const { baseUrl, versions } = JSON.parse(said) as Up;
  return { baseUrl, versions, seconds: (performance.now() - begun) / 1000 };
}

/** In turns as well; the first of each makes the database that the others copy, and does not count. */
async function startsOf(topology: readonly string[], starts: number, signal: AbortSignal) {
  const seconds: Record<Side, number[]> = { before: [], now: [] };
  for (let turn = 0; turn < starts; turn += 1) {
    for (const side of turn % 2 === 0 ? SIDES : SIDES.toReversed()) {
      signal.throwIfAborted();
      const started = await up(side, topology);
      if (turn > 0) seconds[side].push(Number(started.seconds.toFixed(2)));
      await down(side);
    }
  }
  return seconds;
}

async function measured({ name }: OwnUserPart, { call: compare, ...measuring }: Measuring) {
  const { isShort, scratch, signal } = measuring;
  const topology = TOPOLOGIES[name];
  const startSeconds = await startsOf(topology, isShort ? 2 : 4, signal);
  const began: Side[] = [];
  try {
    const urls: string[] = [];
    let versions = {};
    for (const side of SIDES) {
      began.push(side);
      const started = await up(side, topology);
      urls.push(started.baseUrl);
      ({ versions } = started);
    }
    const { record } = await compare<CompareRecord>([
      ...['compare', ...urls, '--workload', 'last-node', '--vus', String(CLIENTS)],
      ...['--duration', isShort ? '3s' : '10s', '--warmup', '2s', '--pairs', '12'],
      ...['--budget', isShort ? '20s' : '4m', '--out', scratch],
    ]);
    const { ratio, a, b, sentence } = record;
    const perSecond = { before: a.values, now: b.values };
    return { record: { versions, startSeconds, perSecond, ratio }, sentence };
  } finally {
    for (const side of began) await down(side);
  }
}

export default {
  parts: [
    { name: 'regular', seconds: 360 },
    { name: 'queue', seconds: 360 },
  ],
  whyNot: () =>
    existsSync(cliOf(checkouts().before))
      ? null
      : 'BEFORE names no checkout of then that is built: see the first lines of studies/own-user/measure.ts',
  measured,
} satisfies Study<OwnUserPart>;
