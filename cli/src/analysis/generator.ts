/** Whether the load generator did what a run rests on: every request sent, when it was due, with CPU to spare. */
import { allowedLatenessMs } from '../../../loadtests/lib/lateness';
import type { Slo } from '../../../loadtests/lib/slo';
import type { Doubt, GeneratorPart, GeneratorSummary, Summary } from '../record/run-record';
import type { Values } from './requests/values';
import { percentile } from './statistics/statistics';
import { counted, duration, formatNumber } from '../ui/numbers';

const BUSY_SHARE = 0.9;
/** Several generators follow one schedule as closely as their clocks are known. */
const CLOCK_UNCERTAIN_MS = 250;
/** A clause each; empty when the run says something about the system. */
export function generatorFaults(
  {
    generator,
    errors,
  }: { generator: Omit<GeneratorSummary, 'faults' | 'saturated'> } & Pick<Summary, 'errors'>,
  slos: readonly Slo[],
): Doubt[] {
  const faults: Doubt[] = [];
  const found = (kind: string, text: string): void => void faults.push({ kind, text });
  const { cpuCores, coresAvailable, notSent, latenessMs } = generator;
  if (notSent > 0) {
    found(
      'not sent',
      `${counted(notSent, 'due request')} could not be sent, because too many other requests were open (--max-open raises the limit)`,
    );
  }
  const noSocket = errors.byKind['no socket'] ?? 0;
  if (noSocket > 0) {
    found(
      'no socket',
      `${counted(noSocket, 'request')} could not be sent, because the machine of the load generator had no free socket`,
    );
  }
  const allowed = allowedLatenessMs(slos);
  if (latenessMs !== null && latenessMs.p99 > allowed) {
    found(
      'late',
      `1% of the requests started at least ${duration(latenessMs.p99)} late; at most ${duration(allowed)} is allowed here`,
    );
  }
  if (coresAvailable !== null && cpuCores >= BUSY_SHARE * coresAvailable) {
    found(
      'busy',
      `k6 used ${formatNumber(cpuCores)} of the ${formatNumber(coresAvailable)} cores it may use`,
    );
  }
  return [...faults, ...(generator.parts ?? []).flatMap((part) => faultsOfPart(part, allowed))];
}

/** One of several, which the figures of all may hide. */
function faultsOfPart(part: GeneratorPart, allowedMs: number): Doubt[] {
  const { name, node, latenessMs, cpuCores, coresAvailable, clock, requests, lost } = part;
  const faults: Doubt[] = [];
  const found = (kind: string, text: string): void => void faults.push({ kind, text });
  if (latenessMs !== null && latenessMs.p99 > allowedMs) {
    found(
      'late part',
      `${name} on ${node} started 1% of its requests at least ${duration(latenessMs.p99)} late; at most ${formatNumber(allowedMs)} ms is allowed here`,
    );
  }
  if (cpuCores >= BUSY_SHARE * coresAvailable) {
    found(
      'busy part',
      `${name} on ${node} used ${formatNumber(cpuCores)} of the ${formatNumber(coresAvailable)} cores it may use`,
    );
  }
  if (requests === 0 && lost === null) found('silent part', `${name} on ${node} sent no requests`);
  if (clock === null) found('no clock', `the clock of ${name} on ${node} could not be read`);
  else if (clock.uncertainMs > CLOCK_UNCERTAIN_MS) {
    found(
      'uncertain clock',
      `the clock of ${name} on ${node} is known only to within ${duration(clock.uncertainMs)}; at most ${duration(CLOCK_UNCERTAIN_MS)} is allowed`,
    );
  }
  return faults;
}

/** A clause for each that was lost; a run says what it says of the load that was left. */
export function lostGenerators({ parts = [] }: GeneratorSummary): string[] {
  return parts.flatMap(({ name, node, lost }) =>
    lost === null
      ? []
      : [
          `the load generator ${name} on ${node}, one of ${String(parts.length)}, was lost ${duration(lost.tMs)} into the load (${lost.why}): from then on, its share of the load is missing, and its ${String(lost.inFlight)} open requests are not counted`,
        ],
  );
}

/** Null in a closed loop, where nothing is due at a time, and where it was not recorded. */
export function latenessOf(
  values: Values,
  loop: 'open' | 'closed',
): GeneratorSummary['latenessMs'] {
  if (loop === 'closed' || values.length === 0) return null;
  const late = values.ordered();
  return { p50: percentile(late, 0.5), p99: percentile(late, 0.99), max: percentile(late, 1) };
}
