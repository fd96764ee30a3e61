import { Option, type Command } from 'commander';
import { RecoveryApi } from '../recover/n8n';
import { isAnythingLost, pass, type PassReport } from '../recover/pass';
import { openQueue, type RecoveryQueue } from '../recover/queue';
import { N8nApi } from '../targets/url/api';
import { EXIT, Failure, Mistake } from '../ui/exit';
import { interruptible } from '../ui/interrupt';
import { printJson, printLines, warn } from '../ui/print';
import { countFrom1, milliseconds, parsed } from './parsers';

interface RecoverOptions {
  url: string;
  tag: string;
  redis?: string;
  prefix: string;
  retry?: boolean;
  attempts: number;
  atOnce: number;
  stopAfter: number;
  /** Milliseconds, as the next three. */
  age: number;
  since: number;
  backOff: number;
  patience: number;
  json?: boolean;
}

export function register(program: Command): void {
  program
    .command('recover')
    .description(
      'Re-run executions that n8n lost when a process died; without --retry only list them',
    )
    .optionsGroup('Where:')
    .requiredOption('--url <url>', 'the address of n8n; N8N_API_KEY in the environment is its key')
    .addOption(
      new Option(
        '--redis <url>',
        'queue mode: the Redis of its queue, to see which executions have a job, and to let one recovery work at a time',
      ).env('N8N_TUNED_REDIS'),
    )
    .option('--prefix <prefix>', 'of the queue (QUEUE_BULL_PREFIX)', 'bull')
    .optionsGroup('What:')
    .option('--tag <name>', 'only workflows with this tag: they may run twice', 'recover')
    .option('--retry', 'retry them; without it they are only listed')
    .addOption(
      parsed('--age <time>', 'only what was last heard of so long ago', milliseconds, '5m'),
    )
    .addOption(parsed('--since <time>', 'only what began within it', milliseconds, '24h'))
    .optionsGroup('How:')
    .addOption(parsed('--attempts <n>', 'retries of each, whoever made them', countFrom1, '3'))
    .addOption(parsed('--at-once <n>', 'retries at a time', countFrom1, '2'))
    .addOption(
      parsed(
        '--back-off <time>',
        'after an attempt that was lost, twice as long after each further one',
        milliseconds,
        '1m',
      ),
    )
    .addOption(parsed('--stop-after <n>', 'lost retries in a row end the pass', countFrom1, '3'))
    .addOption(parsed('--patience <time>', 'wait so long for a retry to end', milliseconds, '4m'))
    .option('--json', 'print what was found and done, for machines')
    .addHelpText(
      'after',
      `
Exit codes: 0 nothing is lost, or all of it was retried to its end; 1 something stays lost; 3 n8n or Redis could not be
asked. What n8n lets a retry bring back, and what not: docs/recovery.md.

Examples:
  N8N_API_KEY=... n8n-tuned recover --url https://n8n.example.com --redis redis://redis:6379
  N8N_API_KEY=... n8n-tuned recover --url http://127.0.0.1:5678 --tag recover --retry`,
    )
    .action(async (options: RecoverOptions) => {
      process.exitCode = await interruptible((signal) => recover(options, signal));
    });
}

async function recover(options: RecoverOptions, signal: AbortSignal): Promise<number> {
  const key = process.env['N8N_API_KEY'];
  if (key === undefined || key === '') {
    throw new Mistake(
      'recover needs the API of n8n: set N8N_API_KEY to a key with the scopes workflow:list, execution:list, execution:read and, for --retry, execution:retry.',
    );
  }
  const api = new RecoveryApi(new N8nApi(addressOf(options.url), key));
  const leading = new AbortController();
  const queue =
    options.redis === undefined
      ? null
      : await openQueue(options.redis, options.prefix, () => {
          leading.abort(new Failure('another recovery took over, or Redis could not be asked'));
        });
  try {
    const isRetry = options.retry === true;
    if (isRetry && queue !== null && !(await queue.lead())) {
      warn('another recovery works on this n8n: nothing was done.');
      return EXIT.fine;
    }
    const report = await onePass(api, queue, options, AbortSignal.any([signal, leading.signal]));
    if (options.json === true) printJson(report);
    else printLines([summaryOf(report, isRetry)]);
    return isAnythingLost(report) ? EXIT.notMet : EXIT.fine;
  } finally {
    await queue?.end();
  }
}

async function onePass(
  api: RecoveryApi,
  queue: RecoveryQueue | null,
  options: RecoverOptions,
  signal: AbortSignal,
): Promise<PassReport> {
  const workflows = await api.workflowsTagged(options.tag);
  if (workflows.length === 0) {
    warn(`no workflow that this key may see has the tag '${options.tag}': nothing may be retried.`);
  }
  const hands = {
    nowMs: () => Date.now(),
    executionsOf: api.executionsOf.bind(api),
    stored: api.stored.bind(api),
    retry: (id: string) => api.retry(id, options.patience),
    queued: () => queue?.queued() ?? Promise.resolve(null),
  };
  const order = {
    workflows,
    rules: {
      maxAttempts: options.attempts,
      minAgeMs: options.age,
      backOffMs: options.backOff,
    },
    sinceMs: Date.now() - options.since,
    retries: options.retry === true,
    atOnce: options.atOnce,
    stopAfterLost: options.stopAfter,
  };
  return pass(
    hands,
    order,
    (text) => process.stderr.write(`${new Date().toISOString()} ${text}\n`),
    signal,
  );
}

function addressOf(url: string): string {
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url)) {
    throw new Mistake(`--url is '${url}': write it like http://127.0.0.1:5678.`);
  }
  return url.replace(/\/+$/, '');
}

function summaryOf({ due, attempts, left }: PassReport, isRetry: boolean): string {
  const count = (outcome: string): number =>
    attempts.filter((attempt) => attempt.outcome === outcome).length;
  const others = ['failed', 'lost again', 'not known', 'no longer due', 'refused']
    .filter((outcome) => count(outcome) > 0)
    .map((outcome) => `, ${String(count(outcome))} ${outcome}`);
  const done = isRetry
    ? `${String(count('recovered'))} recovered${others.join('')}`
    : 'nothing retried: add --retry';
  return `${String(due.length)} lost and due for a retry, ${String(left.length)} left alone; ${done}`;
}
