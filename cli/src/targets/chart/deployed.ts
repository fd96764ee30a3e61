/** What values of the chart deploy, by the chart itself where there is a Helm. */
import { parse } from 'yaml';
import { chartFile, chartFolder } from '../../plan/environment';
import { valuesWithoutSecrets, type ValuesSchema } from '../../plan/secrets/values';
import { deployedTopology, type Deployed } from '../../plan/values-topology';
import { Mistake } from '../../ui/exit';
import { yamlFault } from '../../ui/yaml-file';
import { findHelm, renderChart } from './render';

const WITHOUT_HELM =
  'it is unknown whether the chart accepts the values, because Helm is not installed';

/** With a Helm, values that the chart refuses are refused. */
export function readDeployed(valuesText: string, helm: string | null = findHelm()): Deployed {
  const { topology, leftOut } = deployedTopology(given(valuesText));
  if (topology.tuning === 'none') {
    throw new Mistake(
      'the chart cannot deploy n8n without tuning (tuning.profile: none): use another profile, or --target process.',
    );
  }
  if (helm === null) return { topology, leftOut: [...leftOut, WITHOUT_HELM] };
  if (!taken.has(valuesText)) renderChart(helm, chartFolder(), valuesText);
  taken.add(valuesText);
  return { topology, leftOut };
}

/** Values that the chart has taken: a command asks about the same ones several times, and each time costs half a second. */
const taken = new Set<string>();

function given(valuesText: string): unknown {
  try {
    return parse(valuesText) ?? {};
  } catch (error) {
    throw new Mistake(`the values are not YAML: ${yamlFault(error)}`);
  }
}

/** Values of this chart as they go into a record. */
export function recordedValues(values: unknown): Record<string, unknown> {
  const schema = chartFile('values.schema.json') as ValuesSchema;
  return valuesWithoutSecrets(values, schema) as Record<string, unknown>;
}
