// How often `make capacity` ended with 0 and values that the chart takes (studies/capacity/ten-times.mjs).
import { isWell } from '../../../studies/capacity/searches.mjs';
import { has, link, readJson } from '../records.ts';

const PATH = 'studies/capacity/results/ten-times.json';

const wellOf = (runs) => `${runs.filter(isWell).length} of ${runs.length}`;

/** Of the record, or of null where there is none. */
export function tenTimesText(record) {
  const { runs } = record ?? { runs: [] };
  if (runs.length === 0) return '';
  const of = (kind) => runs.filter((run) => run.kind === kind);
  const [full, recorded] = [of('full'), of('recorded')];
  const whole = full.length === 0 ? 'no whole run was made so far' : `${wellOf(full)} whole runs`;
  return `## \`make capacity\` in a row

\`make capacity\` ended with exit code 0, and with values with which both Helm 3 and Helm 4 rendered the chart, in
${wellOf(runs)} times: ${whole}, and ${wellOf(recorded)} from recorded searches with random capacities and verdicts, for
which n8n is not needed. ${link(PATH)}`;
}

export const tenTimes = () => tenTimesText(has(PATH) ? readJson(PATH) : null);
