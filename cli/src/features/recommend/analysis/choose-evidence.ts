/** Chooses the records that answer the question. */
import { parseSlos, type Slo } from '../../../../../loadtests/lib/slo';
import { Failure, Mistake } from '../../../ui/exit';
import { formatNumber } from '../../../ui/numbers';
import { isTooWide } from '../../find/analysis/planned-share';
import type { FindRecord } from '../../find/record';
import type { CapacityEvidence } from './evidence';

/** `asked` as nameOf says it; left out, there must be only one. `from` is where the user said to look. */
export function ofWorkload(
  evidence: readonly CapacityEvidence[],
  asked: string | undefined,
  from: readonly string[] = ['this call'],
): CapacityEvidence[] {
  const names = [...new Set(evidence.map((each) => each.workload))];
  const [only, another] = names;
  if (only === undefined) {
    throw new Mistake(
      `no search in ${from.join(', ')} found a capacity: record one with n8n-tuned find.`,
    );
  }
  if (asked === undefined && another !== undefined) {
    throw new Mistake(
      `--from contains searches with several workloads (${names.join(', ')}): choose one with --workload.`,
    );
  }
  const chosen = evidence.filter((each) => each.workload === (asked ?? only));
  if (chosen.length === 0) {
    throw new Mistake(
      `${from.join(', ')} contains no search with the workload '${asked ?? only}': choose ${names.join(' or ')}.`,
    );
  }
  return chosen;
}

/** A capacity under a looser SLO says nothing about a stricter one. */
export function withSlos(evidence: CapacityEvidence[], wanted: readonly Slo[]): CapacityEvidence[] {
  const fitting = evidence.filter(({ slo }) => implied(slo.flatMap(parseSlos), wanted));
  if (fitting.length === 0) {
    const known = [...new Set(evidence.map(({ slo }) => slo.join(', ')))].join('; ');
    throw new Mistake(
      `no recorded search used ${wanted.map(({ text }) => text).join(', ')} or a stricter SLO, only ${known}: first run a search with the SLO that you need.`,
    );
  }
  return fitting;
}

/** Whether what held under `known` also holds under `wanted`: each wanted bound is there, or a stricter one. */
export function implied(known: readonly Slo[], wanted: readonly Slo[]): boolean {
  return wanted.every((slo) => known.some((one) => isAsStrict(one, slo)));
}

function isAsStrict(known: Slo, wanted: Slo): boolean {
  if (known.metric !== wanted.metric) return false;
  const direction = (slo: Slo): string => slo.operator.slice(0, 1);
  if (direction(known) !== direction(wanted)) return false;
  if (direction(known) === '<') return known.bound <= wanted.bound;
  if (direction(known) === '>') return known.bound >= wanted.bound;
  return known.bound === wanted.bound;
}

/** Those of searches whose interval is narrow enough; throws a Failure, which names the interval, where none is. */
export function sureOnes(
  evidence: readonly CapacityEvidence[],
  searches: readonly Pick<FindRecord, 'id' | 'capacity'>[],
): CapacityEvidence[] {
  const wide = searches.filter(({ capacity }) => isTooWide(capacity));
  const sure = evidence.filter(({ source }) => wide.every(({ id }) => id !== source));
  const unsure = evidence.find((one) => !sure.includes(one));
  if (sure.length > 0 || unsure === undefined) return sure;
  const { low = 0, high = null } = wide.find(({ id }) => id === unsure.source)?.capacity ?? {};
  const why =
    high === null
      ? `at least ${formatNumber(low)}/s, and the search found no upper end`
      : `between ${formatNumber(low)} and ${formatNumber(high)}/s, and this interval is wider than a factor of two`;
  throw new Failure(
    `no values were written: the capacity of ${unsure.workload} is ${why}. Search longer (n8n-tuned find --continue FOLDER --budget 10m), or on a quiet machine.`,
  );
}
