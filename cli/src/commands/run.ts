import type { Command } from 'commander';
import { runAnnotations } from '../analysis/annotations';
import type { RunData } from '../run/report/data';
import { measure } from '../run/run';
import { s3Place, s3UrlOf, uploadFolder } from '../record/s3';
import { EXIT, messageOf } from '../ui/exit';
import { planText } from '../options/load-text';
import { refuseTooManyOpen } from '../../../loadtests/lib/open-limit';
import { printJson, warn, terminalStyle } from '../ui/print';
import {
  chosenGenerator,
  chosenLimits,
  chosenPlan,
  chosenSlos,
  outOption,
  withGeneratorOptions,
  withLimitOptions,
  withProfileOptions,
  withTargetOptions,
  withWorkloadOptions,
  type LimitOptions,
  type ProfileOptions,
  type TargetOptions,
  type WorkloadOptions,
} from '../options/options';
import {
  chosenMonitoring,
  monitoringOf,
  withMonitoringOptions,
  type MonitoringOptions,
} from '../options/monitoring';
import { onTargets } from '../options/on-target';
import { chosenPrices, withPriceOptions, type PriceOptions } from '../options/prices';
import { chosenLoad, makeTarget, targetOrder, withoutWebhook } from '../options/targets';
import { renderTerminal } from '../report/text/terminal';
import { runDocument } from '../run/report/document';
import type { CommandHelp } from '../options/help';

export interface RunOptions
  extends
    WorkloadOptions,
    ProfileOptions,
    TargetOptions,
    LimitOptions,
    MonitoringOptions,
    PriceOptions {
  out: string;
  s3?: string;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'load n8n at one rate, and check whether it meets the SLOs',
  examples: [
    "n8n-tuned run --workload last-node --rate 50 --slo 'p95<300ms'",
    'n8n-tuned run --workload wait-5s --profile closed --vus 8 --workers 2',
    "n8n-tuned run --url http://127.0.0.1:5678 --rate 20 \\\n    --request 'POST /webhook/order' --body @body.json --expect json.ok==true",
  ],
  common: [
    '--workload',
    '--request',
    '--body',
    '--profile',
    '--rate',
    '--duration',
    '--slo',
    '--target',
    '--url',
    '--workers',
  ],
};

export function register(program: Command): Command {
  const command = program
    .command('run')
    .description(
      'Run one workload with one load profile on one target, record the run and check the SLOs',
    );
  withMonitoringOptions(
    withGeneratorOptions(withTargetOptions(withProfileOptions(withWorkloadOptions(command)))),
  ).optionsGroup('Limits and results:');
  return withPriceOptions(withLimitOptions(command))
    .addOption(outOption())
    .option(
      '--s3 <place>',
      'also copy the results to s3://bucket/prefix, with the same credentials as the AWS CLI',
    )
    .option('--json', 'print the record as JSON')
    .action(async (options: RunOptions) => {
      process.exitCode = await run(options);
    });
}

/** All that a run is told, in plain data: the same options give the same order. */
export function runOrder(given: RunOptions) {
  const options = withoutWebhook(given);
  const workload = chosenLoad(options);
  const plan = chosenPlan(options);
  const slos = chosenSlos(options);
  const { ready: readyMs, out, s3, json = false } = options;
  const { timeoutMs, drainMs } = chosenLimits(options, slos);
  const generator = chosenGenerator(options);
  if (generator.maxOpen === undefined) {
    refuseTooManyOpen(plan, timeoutMs, slos, options.generators);
  }
  return {
    measure: { workload, plan, slos, out, timeoutMs, drainMs, generator, ...chosenPrices(options) },
    target: targetOrder(options, workload.workflows, readyMs, { load: planText(plan) }),
    monitoring: monitoringOf(options),
    ...{ s3, json, stopIf: options.stopIf ?? [] },
  };
}

async function run(options: RunOptions): Promise<number> {
  const order = runOrder(options);
  const { s3, json } = order;
  const place = s3 === undefined ? null : await s3Place(s3);
  const told = await chosenMonitoring(order.monitoring);
  const { workload } = order.measure;
  return onTargets(
    [makeTarget(order.target)],
    workload,
    async ({ running: [running], tell, signal, progress, means }) => {
      const finished = await measure(
        running,
        {
          ...order.measure,
          ...means,
          ...told.observe,
        },
        tell,
        signal,
      );
      finished.problems.push(...(await told.annotate(runAnnotations(finished.data.record))));
      if (place !== null) {
        tell(`copying to ${s3UrlOf(place, finished.folder)}`);
        await uploadFolder(place, finished.folder, signal).catch((error: unknown) => {
          finished.problems.push(
            `${messageOf(error)}; the local results are complete, and n8n-tuned report ${finished.folder} --s3 ${s3 ?? ''} copies them again`,
          );
        });
      }
      progress.end();
      finished.problems.forEach(warn);
      show(finished.folder, finished.data, json);
      return finished.problems.length > 0 ? EXIT.invalid : exitCodeOf(finished.data);
    },
    order.stopIf,
  );
}

function show(folder: string, { record }: RunData, json: boolean): void {
  if (json) {
    printJson({ folder, ...record });
    return;
  }
  process.stdout.write(
    `${renderTerminal(runDocument({ record }), terminalStyle())}\n${folder}/report.html\n`,
  );
}

function exitCodeOf({ record }: RunData): number {
  const { outcome } = record.verdict;
  if (outcome === 'sustained') return EXIT.fine;
  return outcome === 'not sustained' ? EXIT.notMet : EXIT.invalid;
}
