/** A flag means the same in every command, and what is given to it is understood or refused in one sentence. */
import { CommanderError, InvalidArgumentError, type Command, type Option } from 'commander';
import { programOf } from '../../../cli/src/program';
import { join } from 'node:path';
import { Mistake } from '../../../cli/src/ui/exit';
import { runOrder } from '../../../cli/src/commands/run';
import { findFault } from '../../../cli/src/features/drill/faults';
import { orderOf } from '../../../cli/src/features/drill/one';
import { findOrder } from '../../../cli/src/features/find/command';
import { metricsEndpoints } from '../../../cli/src/options/parsers';
import type { MetricsEndpoint } from '../../../cli/src/targets/target';

const commands = (): readonly Command[] => programOf().commands;
const uses = (flag: string): Option[] =>
  commands().flatMap(({ options }) =>
    // `n8n admit VERSION --full` takes no time.
    options.filter(
      ({ long, hidden, required }) => long === flag && !hidden && (required || flag !== '--full'),
    ),
  );

test.each([
  '--out',
  '--find-budget',
  '--probe',
  '--full',
  '--timeout',
  '--drain',
  '--ready',
  '--vus',
])('%s has one text everywhere', (flag) => {
  expect(new Set(uses(flag).map(({ flags, description }) => `${flags} ${description}`)).size).toBe(
    1,
  );
});

test.each(['--out', '--probe', '--full', '--ready'])('%s has one default everywhere', (flag) => {
  expect(uses(flag).length).toBeGreaterThan(1);
  expect(new Set(uses(flag).map(({ defaultValue }) => String(defaultValue))).size).toBe(1);
});

test('--budget is for the whole of a command', () => {
  expect(uses('--budget')).toHaveLength(2);
  for (const { description } of uses('--budget')) {
    expect(description).toMatch(/^time for all measurements/);
  }
});

/** The error with which these words are refused before any action begins. */
async function refusal(words: string[]): Promise<unknown> {
  const program = programOf();
  const quiet = { writeErr: () => undefined };
  for (const command of [program, ...program.commands]) command.configureOutput(quiet);
  return program.parseAsync(words, { from: 'user' }).catch((error: unknown) => error);
}

test.each([
  ['run --timeout soon', 'Use a form such as 30s, 1m30s or 2h.'],
  ['run --rate fast', 'It must be a number.'],
  ['run --profile walk', 'Allowed choices are smoke'],
  ['run --profile smok', 'closed. Did you mean smoke?'],
  ['n8n instal', 'admit. Did you mean install?'],
  ['run --arrivals odd', 'Allowed choices are'],
  ['run --max-open 1.5', 'It must be a whole number of at least 1.'],
  ['run --generator-cpus 0', 'It must be at least 0.01 cores.'],
  ['run --target moon', 'Allowed choices are process, container, kubernetes, url, server.'],
  ['run --mode solo', 'Allowed choices are regular, queue.'],
  ['up --process other', 'Allowed choices are main, own.'],
  ['up --database mysql', 'Allowed choices are sqlite, postgresql.'],
  ['up --tuning fast', 'Allowed choices are none, default'],
  ['find --workers two', 'It must be a whole number of at least 0.'],
  ['find --workers -1', 'It must be a whole number of at least 0.'],
  ['find --concurrency 0', 'It must be a whole number of at least 1.'],
  ['find --webhooks 1.5', 'It must be a whole number of at least 0.'],
  ...['10', '0%', '100%', 'narrow'].map((text): [string, string] => [
    `find --precision ${text}`,
    'Use a form such as 10%.',
  ]),
  ['run --cpu lots', 'Use a form such as 500m, 0.5 or 2.'],
  ['run --memory 0', 'Use a form such as 1024Mi or 1Gi.'],
  ['run --heap some', 'It must be auto, none or an amount such as 768Mi.'],
  ['run --env =x', 'Use a form such as NAME=value.'],
  ['find --probe -3s', 'Use a form such as'],
  ['find --budget many', 'Use a form such as'],
  ['compare a b --metric speed', 'Allowed choices are'],
  ['compare a b --fail-on better', 'Allowed choices are worse.'],
  ['compare a b --pairs 3', 'It must be an even number of at least 2.'],
  ['compare a b --precision 25', 'Use a form such as 10%.'],
  ['predict --at 0', 'It must be a number above 0.'],
  ...['12', '0ms', 'fast'].map((text): [string, string] => [
    `predict --at-cpu ${text}`,
    'Use a form such as 12ms.',
  ]),
  ['predict --at 2 --group 0', 'It must be a whole number of at least 1.'],
  ['predict --at 2 --over mains', 'Allowed choices are workers'],
  ['recommend --attempts 0', 'It must be a whole number of at least 1.'],
  ['recommend --rate none', 'It must be a number above 0.'],
  ['sample --pid x', 'It must be a whole number of at least 1.'],
  ['sample --pid 1 --interval 1ms', 'It must be at least 50ms.'],
])('%s is refused: %s', async (words, because) => {
  const error = await refusal(words.split(' '));
  expect(error).toBeInstanceOf(CommanderError);
  expect((error as CommanderError).message).toContain(because);
});

const closedSets = commands().flatMap((command) =>
  [...command.options, ...command.registeredArguments].flatMap((one) => {
    const name = 'long' in one ? (one.long ?? '') : one.name();
    return one.argChoices === undefined ? [] : [{ name: `${command.name()} ${name}`, one }];
  }),
);

test.each(closedSets)('$name suggests the choice that was meant', ({ one }) => {
  expect.hasAssertions();
  for (const choice of one.argChoices ?? []) {
    const [first = '', second = '', ...rest] = choice;
    const mistyped = [second, first, ...rest].join('');
    expect(() => one.parseArg?.(mistyped, undefined)).toThrow(`Did you mean ${choice}?`);
  }
});

test('what is parsed has the unit in which it is used', () => {
  const command = commands().find((one) => one.name() === 'run');
  expect(command?.opts()).toMatchObject({ ready: 60_000 });
  command?.parseOptions(['--timeout', '1m30s', '--duration', '2m', '--rate', '2.5']);
  expect(command?.opts()).toMatchObject({ timeout: 90_000, duration: 120, rate: 2.5 });
  const topology = ['--cpu', '500m', '--memory', '1Gi', '--heap', 'none', '--workers', '2'];
  command?.parseOptions([...topology, '--env', 'A=1', '--env', 'B=x=y', '--env', 'A=2']);
  expect(command?.opts()).toMatchObject({ cpu: 500, memory: 1024, heap: 'none', workers: 2 });
  expect(command?.opts()['env']).toEqual({ A: '2', B: 'x=y' });
});

/** What `compare` refuses before anything starts. */
const GATE = join(__dirname, '../../../studies/upgrade-gate');
const sides = ['before.yaml', 'after.yaml'].map((name) => join(GATE, name));

async function mistakeOf(words: readonly string[]): Promise<string> {
  const error: unknown = await programOf()
    .parseAsync(words, { from: 'user' })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Mistake);
  return (error as Mistake).message;
}

const comparisonRefusal = (words: readonly string[]): Promise<string> =>
  mistakeOf(['compare', ...sides, ...words]);

describe('what never gets a response is waited for longer than an SLO allows', () => {
  const load = ['--workload', 'last-node', '--slo', 'p50<1s', '--slo', 'p99<6s'];
  const own = ['--workflow', join(GATE, 'order.json'), '--request', 'POST /webhook/order'];
  const calls: Record<string, string[]> = {
    run: ['run', ...load],
    find: ['find', ...load],
    'find --rate': ['find', '--rate', '5', ...load],
    compare: ['compare', ...sides, ...own, ...load.slice(2)],
    'compare --metric capacity': [
      ...['compare', ...sides, ...own, '--metric', 'capacity', ...load.slice(2)],
    ],
    recommend: ['recommend', '--rate', '5', ...load],
  };
  const times = Object.keys(calls).flatMap((name) => [
    { name, flag: '--timeout', call: calls[name] ?? [] },
    { name, flag: '--drain', call: calls[name] ?? [] },
  ]);

  test.each([...times, { name: 'drill', flag: '--wait', call: ['drill', 'kill-main', ...load] }])(
    '$name refuses a $flag that is shorter',
    async ({ flag, call }) => {
      expect(await mistakeOf([...call, flag, '5s'])).toBe(
        `${flag} is 5 s, so requests without a response would not miss the SLO p99<6s: set ${flag} to more than 6 s, or leave it out`,
      );
    },
  );

  const optionsOf = <Options>(words: readonly string[]): Options => {
    const command = commands().find((one) => one.name() === words[0]);
    command?.parseOptions(words.slice(1));
    return command?.opts() as Options;
  };
  const slow = ['--workload', 'last-node', '--slo', 'p99<90s'];

  test('also where no option says how long', () => {
    const longer = { timeoutMs: 180_000, drainMs: 180_000 };
    expect(runOrder(optionsOf(['run', ...slow])).measure).toMatchObject(longer);
    expect(findOrder(optionsOf(['find', ...slow])).measure).toMatchObject(longer);
    const { drill } = orderOf(findFault('kill-main'), optionsOf(['drill', ...slow]));
    expect(drill).toMatchObject(longer);
    const plain = runOrder(optionsOf(['run', '--workload', 'last-node']));
    expect(plain.measure).toMatchObject({ timeoutMs: 60_000, drainMs: 30_000 });
  });
});

test('across n8n 1.0 a bundled workload is refused, with what to do', async () => {
  expect(await comparisonRefusal(['--workload', 'last-node'])).toContain(
    'use your own workflow or request with --workflow or --request.',
  );
});

test('across n8n 1.0 a request of your own is understood', async () => {
  const own = ['--workflow', join(GATE, 'order.json'), '--request', 'POST /webhook/order'];
  // Refused for its body alone, so that nothing starts.
  expect(await comparisonRefusal([...own, '--body', '@not-there.json'])).toContain(
    'not-there.json',
  );
});

const all = (texts: string[]): MetricsEndpoint[] =>
  texts.reduce<MetricsEndpoint[]>((before, text) => metricsEndpoints(text, before), []);

test('each process of n8n has a name of its own, numbered by role', () => {
  expect(
    all([
      'http://a:5678/metrics',
      'worker=http://b:5678/metrics',
      'worker=http://c:5678/metrics?token=x=y',
      'webhook=https://d/metrics',
    ]),
  ).toEqual([
    { role: 'main', instance: 'main-1', url: 'http://a:5678/metrics' },
    { role: 'worker', instance: 'worker-1', url: 'http://b:5678/metrics' },
    { role: 'worker', instance: 'worker-2', url: 'http://c:5678/metrics?token=x=y' },
    { role: 'webhook', instance: 'webhook-1', url: 'https://d/metrics' },
  ]);
});

test.each([
  'b:5678/metrics',
  'runner=http://b/metrics',
  'worker=',
  '',
  'worker=file:///etc/passwd',
])('what cannot be one is refused in one sentence: %s', (text) => {
  expect(() => metricsEndpoints(text)).toThrow(InvalidArgumentError);
  expect(() => metricsEndpoints(text)).toThrow(/^Use a form such as .*\.$/);
});

/** What a command prints where it refuses these words. */
async function saidOf(words: string[]): Promise<string> {
  const program = programOf();
  let said = '';
  const writeErr = (text: string): void => void (said += text);
  for (const command of [program, ...program.commands]) command.configureOutput({ writeErr });
  await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => error);
  return said;
}

test.each([
  ['sweep --plan plan.yaml', "unknown option '--plan'"],
  ['sweep --files plan.yaml', "unknown option '--files'\n(Did you mean --file?)"],
  ['recover --uri http://n8n:5678', "unknown option '--uri'\n(Did you mean --url?)"],
])('an unknown option is named before a required one that is missing: %s', async (words, text) => {
  const said = await saidOf(words.split(' '));
  expect(said).toContain(text);
  expect(said).not.toContain('required option');
});

test('a required option that is missing is named', async () => {
  expect(await saidOf(['sweep'])).toContain("required option '-f, --file <plan.yaml>'");
});
