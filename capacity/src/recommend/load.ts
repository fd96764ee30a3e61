/** Brings exactly what values.yaml says up on this machine, and loads it at the wanted rate. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { ChosenWorkload } from '../plan/chosen-workload';
import { planOf } from '../plan/profile';
import type { Slo } from '../plan/slo';
import { findBundled } from '../lab/kit';
import { measure } from '../run/run';
import { processTarget } from '../targets/process/process-target';
import type { Progress } from '../ui/progress';
import { withTargets } from '../targets/with-targets';
import type { RunRecordAt } from './prove';
import { filled, presetsOf } from './presets';
import { findHelm, renderChart } from './render';
import { renderedTopology } from './rendered-topology';
import { deployedTopology, merged, type Deployed } from './values-topology';
import { messageOf, Mistake } from '../ui/exit';

export interface LoadOrder {
  workload: ChosenWorkload;
  slos: Slo[];
  ratePerSecond: number;
  durationSeconds: number;
  out: string;
  k6: string;
  timeoutMs: number;
  drainMs: number;
  readyTimeoutMs: number;
  command: string[];
}

/** Of the load before the measured part. */
const WARMUP_SHARE = 0.2;

export async function loadValues(
  topology: Deployed['topology'],
  order: LoadOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<RunRecordAt> {
  const { workload, durationSeconds, ratePerSecond } = order;
  const target = processTarget({
    topology,
    workflows: workload.workflows,
    readyTimeoutMs: order.readyTimeoutMs,
  });
  return withTargets(
    [target],
    workload.workflows,
    { tell: progress, signal },
    async ([running]) => {
      const plan = planOf('load', {
        ratePerSecond,
        durationSeconds,
        warmupSeconds: WARMUP_SHARE * durationSeconds,
      });
      const scripts = findBundled('loadtests', 'load.ts');
      const { folder, data } = await measure(
        running,
        { ...order, plan, scripts },
        progress,
        signal,
      );
      return { record: data.record, run: folder };
    },
  );
}

/**
 * What a values file deploys: as the chart renders it, where a Helm is there; else by the values alone, which
 * is said.
 */
export function readDeployed(valuesText: string, helm: string | null = findHelm()): Deployed {
  const chart = findBundled(join('charts', 'n8n-tuned'), 'Chart.yaml');
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
  'the chart itself: no helm is installed to render it, so the topology was read from the values alone';

function given(valuesText: string): unknown {
  try {
    return parse(valuesText) ?? {};
  } catch (error) {
    throw new Mistake(`the values are no YAML: ${messageOf(error)}`);
  }
}
