/** Runs a stand-in until Ctrl-C, and says what was asked of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { readPlainFile } from '../../linux/plain-file';
import type { StandInPlan } from '../../stand-in/plan';
import { parseRules, planWithoutRules } from '../../stand-in/rules';
import type { StandInReport } from '../../stand-in/analysis/counts';
import { startStandIn, type StandIn } from '../../stand-in/server';
import { EXIT, Failure, messageOf, Mistake } from '../../ui/exit';
import { onInterrupt } from '../../ui/interrupt';
import { printJson, printLines } from '../../ui/print';
import type { CommandHelp } from '../../options/help';
import { milliseconds, numberThat, parsed } from '../../options/parsers';
import { reportLines } from './report/terminal';

interface StandInCommandOptions {
  rules?: string;
  host: string;
  port: number;
  tlsCert?: string;
  tlsKey?: string;
  /** Milliseconds. */
  duration?: number;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'stand in for the external services that n8n calls',
  examples: [
    'n8n-tuned stand-in --rules services.yaml',
    'n8n-tuned stand-in --duration 10m --json',
    'n8n-tuned stand-in --port 8443 --tls-cert cert.pem --tls-key key.pem',
  ],
  notes: [
    'The stand-in reads the host of a request from the path after /to/, or else from the Host header. For /v1/responses, /v1/chat/completions, /v1/embeddings, /v1/models and /v1/messages, the stand-in responds like a language model. docs/stand-in.md describes the rules file.',
    'GET /stand-in/report shows the number of requests per host and the CPU usage of the stand-in. A stand-in can use at most one core.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('stand-in')
    .description(
      'Stand in for the external services that n8n calls, with responses from a rules file, until you press Ctrl-C',
    )
    .option(
      '--rules <file>',
      'rules for the responses, as YAML or JSON (default: status 200 for every request)',
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(
      parsed(
        '--port <number>',
        'port to listen on; 0 selects a free port',
        numberThat(
          (port) => Number.isInteger(port) && port >= 0 && port <= 65_535,
          'It must be a whole number from 0 to 65535.',
        ),
        '5690',
      ),
    )
    .option('--tls-cert <file>', 'PEM certificate for HTTPS; requires --tls-key')
    .option('--tls-key <file>', 'PEM key for --tls-cert')
    .addOption(
      parsed('--duration <time>', 'stop after this time (default: run until Ctrl-C)', milliseconds),
    )
    .option('--json', 'print the received requests as JSON')
    .action(async (options: StandInCommandOptions) => {
      await standIn(options);
      process.exitCode = EXIT.fine;
    });
}

async function standIn(options: StandInCommandOptions): Promise<void> {
  const server = await started(
    options,
    options.rules === undefined ? planWithoutRules() : rulesIn(options.rules),
  );
  const interrupt = onInterrupt();
  let report: StandInReport;
  try {
    process.stderr.write(
      `n8n-tuned: the stand-in listens on ${server.url}; press Ctrl-C to stop it\n`,
    );
    await sleep(options.duration ?? FOREVER_MS, undefined, { signal: interrupt.signal }).catch(
      () => undefined,
    );
  } finally {
    report = server.report();
    await server.end();
    interrupt.end();
  }
  if (options.json === true) printJson(report);
  else printLines(reportLines(report));
}

/** The longest time of a timer, 24 days. */
const FOREVER_MS = 2 ** 31 - 1;

function rulesIn(file: string): StandInPlan {
  let text: string;
  try {
    text = readPlainFile(file);
  } catch (error) {
    throw new Mistake(`--rules ${file} cannot be read: ${messageOf(error)}`);
  }
  return parseRules(text, file);
}

async function started(options: StandInCommandOptions, plan: StandInPlan): Promise<StandIn> {
  const { host, port, tlsCert, tlsKey } = options;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new Mistake('--tls-cert and --tls-key require each other: use both or neither.');
  }
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? {}
      : { tls: { cert: pem(tlsCert, '--tls-cert'), key: pem(tlsKey, '--tls-key') } };
  try {
    return await startStandIn({ plan, host, port, ...tls });
  } catch (error) {
    throw new Failure(
      `the stand-in cannot listen on ${host}:${String(port)}: ${messageOf(error)}; choose another --port.`,
    );
  }
}

function pem(file: string, option: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new Mistake(`${option} ${file} cannot be read: ${messageOf(error)}`);
  }
}
