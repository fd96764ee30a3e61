// The drills of the settings that decide what a fault costs: their plan, and their tables on the page of drills.
import { FAULTS } from '../../cli/src/features/drill/faults';
import { sampleDrill } from '../support/sample-drill';
import * as plan from '../../studies/drill-settings/parts';
import { settingsText, type SettingPart } from '../../lab/generate/studies/drills';

interface Part {
  setting: string;
  value: (number | string)[];
  fault: string;
  lasts?: number;
  repeat: number;
  name: string;
}

const parts = plan.PARTS as unknown as Part[];
const commands: string[][] = plan.PARTS.map((part) =>
  plan.commandOf(part, { root: '/here', out: 'out', isShort: false }),
);

/** What a command gives for an option or a variable; of two the later one counts. */
const lastOf = (words: string[], option: string, name = ''): string | undefined =>
  words
    .filter((word, index) => words[index - 1] === option && word.startsWith(name))
    .at(-1)
    ?.slice(name.length);

test('the settings are of faults that this machine can make, and named once each', () => {
  const can = FAULTS.filter(({ notOn }) => notOn?.process === undefined).map(({ name }) => name);
  expect(can).toEqual(expect.arrayContaining(parts.map(({ fault }) => fault)));
  expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
});

test('give n8n, or recovery, the value that they are about', () => {
  for (const [index, { setting, value }] of parts.entries()) {
    const words = commands[index] ?? [];
    const variable = (name: string): number => Number(lastOf(words, '--env', `${name}=`));
    const age = [Number.parseInt(lastOf(words, '--recover-age') ?? '', 10)];
    const given = {
      locks: [
        variable('QUEUE_WORKER_LOCK_DURATION') / 1000,
        variable('QUEUE_WORKER_LOCK_RENEW_TIME') / 1000,
        variable('QUEUE_WORKER_STALLED_INTERVAL') / 1000,
      ],
      guard: [variable('N8N_TUNED_GUARD_SECONDS')],
      timeout: [variable('QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD') / 1000],
      reconnect: [variable('DB_RECOVERY_BACKOFF_MAX_MS') / 1000],
      schedules: [words.includes('N8N_SCHEDULER_ENABLED=true') ? 'database' : 'memory'],
      grace: [variable('N8N_GRACEFUL_SHUTDOWN_TIMEOUT')],
      age,
      forgotten: age,
    }[setting];
    expect([setting, given]).toEqual([setting, value]);
    expect(words.includes('--recover')).toBe(['age', 'forgotten'].includes(setting));
  }
});

test('judge before the fault some of what was answered by then', () => {
  for (const [index, { name }] of parts.entries()) {
    const words = commands[index] ?? [];
    const steady = Number.parseInt(lastOf(words, '--steady') ?? '', 10);
    const workMs = Number(lastOf(words, '--param', 'ms='));
    expect([name, steady > 2.5 * (workMs / 1000)]).toEqual([name, true]);
  }
});

test('stand on the page by setting, with what is missing', () => {
  const { record } = sampleDrill();
  const found = parts.filter(({ setting, repeat }) => setting === 'guard' && repeat <= 2);
  const records = found.map((part) => ({ ...part, path: `${part.name}.json`, drill: record }));
  const page = settingsText(records as unknown as SettingPart[]);
  expect(page).toContain(`${String(parts.length - found.length)} have not been measured yet`);
  expect(page).toContain('### The worker guard');
  expect(page).not.toContain('### The locks of jobs');
  const values = [...new Set(found.map(({ value }) => value.join()))];
  for (const value of values) expect(page).toContain(`| ${value} | redis-half-open | `);
});
