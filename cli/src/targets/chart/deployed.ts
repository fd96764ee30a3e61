/** What values deploy: as the chart renders them, or by their own words. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { findBundled } from '../../lab/kit';
import { valuesWithoutSecrets, type ValuesSchema } from '../../plan/secrets/values';
import { Mistake } from '../../ui/exit';
import { yamlFault } from '../../ui/yaml-file';
import { filled, presetsOf } from './presets';
import { findHelm, renderChart } from './render';
import { renderedTopology } from './rendered-topology';
import { deployedTopology, merged, type Deployed } from './values-topology';

export const chartFolder = (): string => findBundled(join('charts', 'n8n-tuned'), 'Chart.yaml');

/**
 * What a values file deploys: as the chart renders it, where a Helm is there; else by the values alone, which
 * is said.
 */
export function readDeployed(valuesText: string, helm: string | null = findHelm()): Deployed {
  const chart = chartFolder();
  const { appVersion } = z
    .looseObject({ appVersion: z.string() })
    .parse(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')));
  const read = (...path: string[]): unknown =>
    parse(readFileSync(join(chart, ...path), 'utf8')) as unknown;
  const user = given(valuesText);
  const presets = presetsOf(user).map((name) => {
    if (!existsSync(join(chart, 'presets', `${name}.yaml`))) {
      throw new Mistake(`the values are wrong at preset: the chart has no preset '${name}'`);
    }
    return read('presets', `${name}.yaml`);
  });
  const values = merged(read('values.yaml'), user);
  const { topology, leftOut, approximated, named } = deployedTopology(
    filled(values, [...presets, read('files', 'defaults.yaml')]),
    appVersion,
  );
  if (helm === null) return { topology, leftOut: [...leftOut, ...approximated, WITHOUT_HELM] };
  const rendered = renderedTopology(renderChart(helm, chart, valuesText), topology, named);
  return { ...rendered, leftOut: [...leftOut, ...rendered.leftOut] };
}

const WITHOUT_HELM =
  'the chart itself: Helm is not installed to render it, so the topology was read from the values alone';

function given(valuesText: string): unknown {
  try {
    return parse(valuesText) ?? {};
  } catch (error) {
    throw new Mistake(`the values are not YAML: ${yamlFault(error)}`);
  }
}

/** Values of this chart as they go into a record. */
export function recordedValues(values: unknown): Record<string, unknown> {
  const schema = JSON.parse(
    readFileSync(join(chartFolder(), 'values.schema.json'), 'utf8'),
  ) as ValuesSchema;
  return valuesWithoutSecrets(values, schema) as Record<string, unknown>;
}
