import { chooseTopology } from '../plan/chosen-topology';
import { processTarget } from '../targets/process/process-target';
import { isLegacy } from '../plan/limits';
import type { Target } from '../targets/target';
import type { SeedWorkflow } from '../catalogue/seeding';
import { urlTarget } from '../targets/url/url-target';
import { askedRightly, Mistake } from '../ui/exit';
import type { TargetOptions, WorkloadOptions } from './options';

const KINDS = ['process', 'url'];

export function chosenTarget(
  options: TargetOptions & Pick<WorkloadOptions, 'workflow'>,
  workflows: readonly SeedWorkflow[],
  readyTimeoutMs: number,
): Target {
  if (options.target === 'url') {
    if (options.url === undefined) {
      throw new Mistake('--target url needs --url, like --url http://127.0.0.1:5678.');
    }
    const apiKey = process.env['N8N_API_KEY'];
    if (options.workflow !== undefined && apiKey === undefined) {
      throw new Mistake(
        `--workflow ${options.workflow.join(' ')} needs the API of the n8n at ${options.url}: set N8N_API_KEY in the environment, or import and activate it there and leave --workflow out.`,
      );
    }
    return urlTarget({ url: options.url, readyTimeoutMs, apiKey });
  }
  if (options.target !== 'process') {
    throw new Mistake(`there is no target '${options.target}': it is one of ${KINDS.join(', ')}.`);
  }
  if (options.url !== undefined) {
    throw new Mistake('--url goes with --target url: add that, or leave --url out.');
  }
  return askedRightly(() =>
    processTarget({ topology: chooseTopology(options), workflows, readyTimeoutMs }),
  );
}

/** Whether the workload must be that of n8n below 1.0. */
export function isLegacyChoice(options: TargetOptions): boolean {
  return options.target === 'process' && isLegacy(askedRightly(() => chooseTopology(options)).n8n);
}
