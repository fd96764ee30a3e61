import type { Slo } from '../../../../../loadtests/lib/slo';

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
