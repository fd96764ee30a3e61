// What the CPU of a request is used for: a CPU profile of main, of the webhook processor and of the worker while n8n is under
// load, by package and by function.
//
// The chart's default profile. A profile looks at the thread once a millisecond, which itself takes a few percent: read
// shares, not rates. Each wants the machine for itself.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotMeasured, type Part, type Study } from '../../cli/src/features/study/study';
import type { RunRecord } from '../../cli/src/record/run-record';
import { folderForN8n } from '../up';
import { summaryOf, type Profiled } from './summary';

const WARMUP_SECONDS = 20;
const SECONDS = 20;
const CLIENTS = 8;
/** From the call to the load, and to the end of n8n. */
const AROUND_SECONDS = 50;

const TOPOLOGIES = {
  regular: ['--mode', 'regular'],
  queue: ['--mode', 'queue', '--workers', '1', '--webhooks', '1'],
};

interface ProfilePart extends Part {
  mode: keyof typeof TOPOLOGIES;
  workload: string;
}

const PARTS: ProfilePart[] = (['regular', 'queue'] as const).flatMap((mode) =>
  ['last-node', 'expressions', 'items'].map((workload) => ({
    ...{ name: `${mode}-${workload}`, mode, workload },
    seconds: AROUND_SECONDS + WARMUP_SECONDS + SECONDS,
  })),
);

export default {
  parts: PARTS,
  async measured({ mode, workload }, { call, scratch, isShort }) {
    const profiles = folderForN8n(scratch, 'profiles');
    const time = (seconds: number): string => `${String(isShort ? 3 : seconds)}s`;
    const { record } = await call<RunRecord>([
      ...['run', ...TOPOLOGIES[mode], '--workload', workload, '--tuning', 'default'],
      ...['--profile', 'closed', '--vus', String(CLIENTS)],
      ...['--warmup', time(WARMUP_SECONDS), '--duration', time(SECONDS)],
      ...['--env', `NODE_OPTIONS=--require=${join(import.meta.dirname, 'profile.cjs')}`],
      ...['--env', `CPU_PROFILE_FOLDER=${profiles}`, '--ready', '2m', '--out', scratch],
    ]);
    const { loadBeganAt, profile, summary, versions } = record;
    const fromMs = Date.parse(loadBeganAt ?? '') + 1000 * profile.warmupSeconds;
    const toMs = fromMs + 1000 * profile.durationSeconds;
    const responses = summary.achieved.ratePerSecond * profile.durationSeconds;
    const processes = readdirSync(profiles)
      .filter((file) => file.endsWith('.json'))
      .map((file) => JSON.parse(readFileSync(join(profiles, file), 'utf8')) as Profiled)
      .map((one) => summaryOf(one, { fromMs, toMs }))
      .filter(({ threadMs }) => threadMs > 0);
    if (!(responses > 0) || processes.length === 0) {
      throw new NotMeasured('no response, or no profile: n8n did not end by itself');
    }
    const roles = processes.map(({ role }) => role).join(', ');
    return {
      record: {
        ...{ responses, seconds: profile.durationSeconds, clients: CLIENTS, versions, processes },
      },
      sentence: `${summary.achieved.ratePerSecond.toFixed(1)}/s, ${roles}`,
    };
  },
} satisfies Study<ProfilePart>;
