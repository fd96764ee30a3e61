/** Every fault that a topology has something for, one after the other, each on a target of its own; and one table. */

import { basename, join } from 'node:path';
import type { Fault } from './fault';
import { FAULTS } from './faults';
import { makeFolder, runId, writeWhole } from '../../record/folder';
import { drillsCsv, drillsDocument, type DrillRow } from './report/all';
import { EXIT, Failure, Interrupted, messageOf } from '../../ui/exit';
import { printJson, printLines, terminalStyle, warn } from '../../ui/print';
import { reportFiles } from '../../report/files';
import { renderTerminal } from '../../report/text/terminal';
import { writeBeside } from '../../record/write-beside';
import { chosenMonitoring } from '../../options/monitoring';
import {
  codeOf,
  drilledTopology,
  oneDrill,
  orderOf,
  refuseAllThere,
  DEFAULT_WORKLOAD,
  whyNotThere,
  type DrillOptions,
} from './one';

export async function drillAll(options: DrillOptions): Promise<number> {
  refuseAllThere(options);
  const topology = drilledTopology(options);
  const leftOut = FAULTS.flatMap((fault) => {
    const cannot = whyNotThere(fault, options);
    const lacks = cannot === null ? fault.lacks(topology) : null;
    const why = cannot ?? (lacks === null ? null : `it requires ${lacks}`);
    return why === null ? [] : [{ fault, why }];
  });
  const faults = FAULTS.filter((fault) => !leftOut.some((one) => one.fault === fault));
  const name =
    options.workload ??
    (options.request === undefined && options.workflow === undefined
      ? DEFAULT_WORKLOAD
      : 'request');
  const out = join(options.out, runId(new Date(), name, 'drills'));
  // What is written wrong is told before the first one begins.
  const orders = faults.map((fault) => {
    const { for: lasts, every, ...others } = options;
    return orderOf(fault, { ...others, ...timesOf(fault, { lasts, every }), out });
  });
  const told = await chosenMonitoring(options);
  makeFolder(out);
  const rows: DrillRow[] = [];
  const codes: number[] = [];
  let problems: string[] = [];
  let isStopped = false;
  for (const [index, order] of orders.entries()) {
    const fault = order.drill.fault.name;
    warn(`${fault}, ${String(index + 1)} of ${String(orders.length)}`);
    try {
      const finished = await oneDrill(order, options, told);
      const { record, folder, problems: found } = finished;
      rows.push({ fault, record, reason: found.join('; '), folder: basename(folder) });
      codes.push(codeOf(record, found));
      isStopped = finished.isStopped;
    } catch (error) {
      if (error instanceof Interrupted && rows.length > 0) {
        warn(messageOf(error));
        codes.push(EXIT.invalid);
        break;
      }
      // The next one has an n8n of its own.
      if (!(error instanceof Failure)) throw error;
      rows.push({ fault, record: null, reason: messageOf(error), folder: null });
      codes.push(EXIT.invalid);
    }
    writeWhole(join(out, 'drills.csv'), drillsCsv(rows));
    problems = writeBeside(out, reportFiles(drillsDocument(rows)));
    if (isStopped) {
      const done = `${String(rows.length)} of ${String(orders.length)} drills were started`;
      warn(`stopped early: ${done}.`);
      break;
    }
  }
  for (const { fault, why } of leftOut) warn(`${fault.name} was left out: ${why}.`);
  if (options.json === true) printJson({ folder: out, drills: rows });
  else {
    const text = renderTerminal(drillsDocument(rows), terminalStyle());
    printLines([text, join(out, 'report.html')]);
  }
  problems.forEach(warn);
  return Math.max(...codes, problems.length > 0 ? EXIT.invalid : EXIT.fine);
}

/** `--for` and `--every` as far as they apply to a fault. */
function timesOf(
  { defaultSeconds }: Fault,
  { lasts, every }: { lasts: number | undefined; every: number | undefined },
): Pick<DrillOptions, 'for' | 'every'> {
  const isRepeated = every !== undefined && every > defaultSeconds;
  return {
    ...(lasts !== undefined && (defaultSeconds > 0 || isRepeated) ? { for: lasts } : {}),
    ...(isRepeated ? { every } : {}),
  };
}
