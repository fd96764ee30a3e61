import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { Redis } from 'ioredis';
import { recoverOnce } from './once';
import { isAnythingLost, summaryOf } from './pass';
import { LAZY, openQueue } from './queue';
import { savesIn } from './saves';
import { cacheFolder } from '../../lab/paths';
import { makeFolder } from '../../record/folder';
import { claim, type Claim } from '../../targets/kept';
import type { MetricsEndpoint } from '../../targets/target';
import { baseUrlFrom } from '../../targets/url/address';
import { EXIT, Mistake } from '../../ui/exit';
import { interruptible } from '../../ui/interrupt';
import { printJson, printLines, warn } from '../../ui/print';
import { countFrom1, metricsEndpoints, milliseconds, parsed } from '../../options/parsers';
import { WHERE } from '../../options/applies';
import type { CommandHelp } from '../../options/help';

interface RecoverOptions {
  url: string;
  tag: string;
  redis?: string;
  prefix: string;
  metricsUrl?: MetricsEndpoint[];
  retry?: boolean;
  attempts: number;
  atOnce: number;
  stopAfter: number;
  /** Milliseconds, as the next three. */
  age: number;
  since: number;
  backOff: number;
  wait: number;
  saveOnError?: string;
  saveOnSuccess?: string;
  saveOnProgress?: string;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'retry executions that n8n lost when a process died',
  examples: [
    'N8N_API_KEY=... n8n-tuned recover --url https://n8n.example.com \\\n    --redis redis://redis:6379',
    'N8N_API_KEY=... n8n-tuned recover --url http://127.0.0.1:5678 --retry',
    'N8N_API_KEY=... n8n-tuned recover --url http://127.0.0.1:5678 --since 2h',
  ],
  common: [
    '--url',
    '--redis',
    '--tag',
    '--retry',
    '--age',
    '--since',
    '--attempts',
    '--at-once',
    '--json',
  ],
  notes: [
    'In queue mode, recover reads n8n_tuned_patch_in_force from the metrics of n8n at --url and at each --metrics-url. If keep-stalled is not in force in a process, or if no worker responds, recover cannot guarantee that executions of dead workers are restored.',
    'Exit codes: 0 if nothing is lost or all retries finished, 1 if executions remain lost, 3 if n8n or Redis could not be reached or you pressed Ctrl-C. For details on what a retry can restore, see docs/recovery.md.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('recover')
    .description(
      'Retry executions that n8n lost when a process died; without --retry, only list them',
    )
    .optionsGroup(WHERE)
    .requiredOption('--url <url>', 'address of n8n; its API key is in N8N_API_KEY')
    .addOption(
      new Option(
        '--redis <url>',
        'queue mode: Redis of the queue, to find the executions that have a job, and to run only one recovery at a time',
      ).env('N8N_TUNED_REDIS'),
    )
    .option('--prefix <prefix>', 'queue prefix (QUEUE_BULL_PREFIX)', 'bull')
    .option(
      '--metrics-url <[role=]url>',
      'queue mode: metrics address of an n8n process, such as worker=http://10.0.0.7:5678/metrics, to check whether the keep-stalled patch is in force; repeatable',
      metricsEndpoints,
    )
    .optionsGroup('Settings that the n8n API does not return:')
    .addOption(saveOption('error', 'whether n8n keeps failed executions', ['all', 'none']))
    .addOption(saveOption('success', 'whether n8n keeps successful executions', ['all', 'none']))
    .addOption(
      saveOption('progress', 'whether n8n saves executions after each node', ['true', 'false']),
    )
    .optionsGroup('Executions:')
    .option(
      '--tag <name>',
      'only workflows with this tag, which marks workflows that are safe to run twice',
      'recover',
    )
    .option('--retry', 'retry the executions, instead of only listing them')
    .addOption(
      parsed(
        '--age <time>',
        'only executions that neither started nor ended within this time',
        milliseconds,
        '3m',
      ),
    )
    .addOption(
      parsed(
        '--since <time>',
        'only executions that started within this time (with --redis, at most 168h)',
        milliseconds,
        '24h',
      ),
    )
    .optionsGroup('Retries:')
    .addOption(
      parsed(
        '--attempts <n>',
        'maximum number of retries per execution, including retries in the editor',
        countFrom1,
        '3',
      ),
    )
    .addOption(parsed('--at-once <n>', 'number of concurrent retries', countFrom1, '2'))
    .addOption(
      parsed(
        '--back-off <time>',
        'wait after a lost attempt; the wait doubles with each further attempt',
        milliseconds,
        '1m',
      ),
    )
    .addOption(
      parsed(
        '--stop-after <n>',
        'end the pass after this many consecutive lost retries',
        countFrom1,
        '3',
      ),
    )
    .addOption(parsed('--wait <time>', 'maximum time for a retry', milliseconds, '4m'))
    .option('--json', 'print the result as JSON')
    .action(async (options: RecoverOptions) => {
      process.exitCode = await interruptible((signal) => recover(options, signal));
    });
}

/** Named as the variable that n8n reads, which is taken where it is set. */
const saveOption = (what: string, text: string, choices: string[]): Option =>
  new Option(`--save-on-${what} <what>`, text)
    .choices(choices)
    .env(`EXECUTIONS_DATA_SAVE_ON_${what.toUpperCase()}`);

function refuseNoRedis(url: string): void {
  const { protocol = '', hostname = '' } = URL.canParse(url) ? new URL(url) : {};
  if (!/^rediss?:$/.test(protocol) || hostname === '') {
    throw new Mistake(
      '--redis is not a Redis address: use a form such as redis://127.0.0.1:6379, or rediss:// with TLS.',
    );
  }
}

/**
 * Without Redis no pass sees another one, so the first on this machine claims the URL. Null: no file can be written, as in a
 * container, and the user has to run one pass at a time.
 */
export function claimWithoutQueue(url: string): Claim | null {
  const folder = join(cacheFolder(), 'recover');
  const name = createHash('sha256').update(url).digest('hex').slice(0, 16);
  try {
    makeFolder(folder);
    return claim(
      folder,
      name,
      ({ pid }) =>
        new Mistake(
          `another recovery is already running for ${url} (process ${String(pid)}): without --redis, run only one recovery at a time.`,
        ),
    );
  } catch (error) {
    if (error instanceof Mistake) throw error;
    return null;
  }
}

async function recover(options: RecoverOptions, signal: AbortSignal): Promise<number> {
  const apiKey = process.env['N8N_API_KEY'];
  if (apiKey === undefined || apiKey === '') {
    throw new Mistake(
      'recover requires the n8n API: set N8N_API_KEY to a key with the scopes workflow:list, execution:list, execution:read and, for --retry, execution:retry.',
    );
  }
  const { redis, prefix } = options;
  if (redis !== undefined) refuseNoRedis(redis);
  const isRetry = options.retry === true;
  const url = baseUrlFrom(options.url);
  const claimed = isRetry && redis === undefined ? claimWithoutQueue(url) : null;
  const report = await recoverOnce(
    {
      ...{ url, apiKey, tag: options.tag, retries: isRetry },
      rules: {
        maxAttempts: options.attempts,
        minAgeMs: options.age,
        backOffMs: options.backOff,
      },
      saves: savesIn({
        EXECUTIONS_DATA_SAVE_ON_ERROR: options.saveOnError,
        EXECUTIONS_DATA_SAVE_ON_SUCCESS: options.saveOnSuccess,
        EXECUTIONS_DATA_SAVE_ON_PROGRESS: options.saveOnProgress,
      }),
      metrics: (options.metricsUrl ?? []).map(({ role, url }) => ({
        ...{ url, isWorker: role === 'worker' },
      })),
      ...{ withinMs: options.since, patienceMs: options.wait },
      ...{ atOnce: options.atOnce, stopAfterLost: options.stopAfter },
    },
    redis === undefined ? null : (onLost) => openQueue(new Redis(redis, LAZY), prefix, onLost),
    (text) => process.stderr.write(`${new Date().toISOString()} ${text}\n`),
    signal,
  ).finally(() => claimed?.end());
  if (report === null) {
    warn('another recovery is already running for this n8n instance: nothing was done.');
    return EXIT.fine;
  }
  if (options.json === true) printJson(report);
  else printLines([summaryOf(report, isRetry)]);
  if (signal.aborted) return EXIT.invalid;
  return isAnythingLost(report) ? EXIT.notMet : EXIT.fine;
}
