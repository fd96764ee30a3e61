// Where the CPU of a request goes: a CPU profile of main, of the webhook processor and of the worker while n8n is under
// load, by package and by function.
//
//   make lab build
//   node studies/cpu-profile/measure.mjs --list           what there is, what has a record, and how long it takes
//   node studies/cpu-profile/measure.mjs --within 10m     one after the other, as long as the next one still fits
//
// The chart's default profile. A profile looks at the thread once a millisecond, which itself takes a few percent: read
// shares, not rates. Each wants the machine for itself.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordsOf } from '../archive.mjs';
import { measureParts, NotMeasured } from '../in-parts.mjs';
import { summaryOf } from './summary.mjs';

const WARMUP_SECONDS = 20;
const SECONDS = 20;
const CLIENTS = 8;
/** From the call to the load, and to the end of n8n. */
const AROUND_SECONDS = 50;

const TOPOLOGIES = {
  regular: ['--mode', 'regular'],
  queue: ['--mode', 'queue', '--workers', '1', '--webhooks', '1'],
};
const PARTS = Object.keys(TOPOLOGIES).flatMap((mode) =>
  ['last-node', 'expressions', 'items'].map((workload) => ({
    ...{ name: `${mode}-${workload}`, mode, workload },
    seconds: AROUND_SECONDS + WARMUP_SECONDS + SECONDS,
  })),
);

function commandOf({ mode, workload }, { out, profiles, isShort }) {
  const seconds = (value) => `${isShort ? 3 : value}s`;
  return [
    ...['run', ...TOPOLOGIES[mode], '--workload', workload, '--tuning', 'default'],
    ...['--profile', 'closed', '--vus', String(CLIENTS)],
    ...['--warmup', seconds(WARMUP_SECONDS), '--duration', seconds(SECONDS)],
    ...['--env', `NODE_OPTIONS=--require=${join(import.meta.dirname, 'profile.cjs')}`],
    ...['--env', `CPU_PROFILE_FOLDER=${profiles}`, '--ready', '2m', '--out', out, '--json'],
  ];
}

async function measured(part, { call, out, isShort }) {
  const profiles = join(out, 'profiles');
  mkdirSync(profiles);
  const { record } = await call(commandOf(part, { out, profiles, isShort }));
  const { loadBeganAt, profile, summary, versions, machine } = record;
  const fromMs = Date.parse(loadBeganAt) + 1000 * profile.warmupSeconds;
  const toMs = fromMs + 1000 * profile.durationSeconds;
  const responses = summary.achieved.ratePerSecond * profile.durationSeconds;
  const processes = readdirSync(profiles)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(profiles, file), 'utf8')))
    .map((one) => summaryOf(one, { fromMs, toMs }))
    .filter(({ threadMs }) => threadMs > 0);
  if (!(responses > 0) || processes.length === 0) {
    throw new NotMeasured('no response, or no profile: n8n did not end by itself');
  }
  return {
    record: {
      responses,
      seconds: profile.durationSeconds,
      clients: CLIENTS,
      versions,
      machine,
      processes,
    },
    sentence: `${part.name}: ${summary.achieved.ratePerSecond.toFixed(1)}/s, ${processes.map(({ role }) => role).join(', ')}`,
  };
}

await measureParts({
  parts: PARTS,
  kept: recordsOf('cpu-profile'),
  about: 'studies/cpu-profile/measure.mjs',
  shownOut: 'results/cpu-profile',
  whyNot: () => null,
  measured,
});
