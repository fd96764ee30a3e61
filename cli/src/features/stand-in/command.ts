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
  summary: 'answer in the place of the services outside n8n',
  examples: [
    'n8n-tuned stand-in --rules services.yaml',
    'n8n-tuned stand-in --duration 10m --json',
    'n8n-tuned stand-in --port 8443 --tls-cert cert.pem --tls-key key.pem',
  ],
  notes: [
    'The host of a call is the part of its path after /to/, or else its header Host. /v1/responses, /v1/chat/completions, /v1/embeddings, /v1/models and /v1/messages are answered as by a language model. docs/stand-in.md describes the rules file.',
    'GET /stand-in/report shows how many calls each host got so far, and the CPU of the stand-in. A stand-in can use one core.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('stand-in')
    .description(
      'Answer in the place of the services outside n8n, as a file of rules says, until Ctrl-C',
    )
    .option('--rules <file>', 'what is answered, as YAML or JSON (default: 200 to everything)')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .addOption(
      parsed(
        '--port <number>',
        'the port to listen on; 0 takes a free one',
        numberThat(
          (port) => Number.isInteger(port) && port >= 0 && port <= 65_535,
          'It must be a whole number from 0 to 65535.',
        ),
        '5690',
      ),
    )
    .option('--tls-cert <file>', 'a certificate, as PEM, to speak HTTPS; needs --tls-key')
    .option('--tls-key <file>', 'the key of --tls-cert, as PEM')
    .addOption(
      parsed('--duration <time>', 'end after this time (default: at Ctrl-C)', milliseconds),
    )
    .option('--json', 'print what was asked of it as JSON')
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
    process.stderr.write(`n8n-tuned: the stand-in listens on ${server.url}; Ctrl-C ends it\n`);
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
    throw new Mistake('--tls-cert and --tls-key go together: give both, or leave both out.');
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
