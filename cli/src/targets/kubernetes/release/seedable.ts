/** Which workloads can be put into an n8n in a cluster, and those of the user's for our chart. */
import { sep } from 'node:path';
import { findBundled } from '../../../lab/kit';
import { Mistake } from '../../../ui/exit';
import { exportedIn } from '../../../catalogue/read';
import type { SeedWorkflow } from '../../../catalogue/seeding';
import type { KubernetesOptions } from './options';

export const needsUpstream = ({ workflows }: Pick<KubernetesOptions, 'workflows'>): boolean =>
  workflows.some(({ needs = [] }) => needs.includes('upstream'));

/** Whether it has credentials, which only n8n's API takes: our chart seeds without any. */
export const isTwin = ({ standIn }: SeedWorkflow): boolean => standIn !== undefined;

/** Those that do not come with the kit. */
function ownOf(workflows: KubernetesOptions['workflows']): KubernetesOptions['workflows'] {
  const bundled = `${findBundled('workflows', 'catalogue.json')}${sep}`;
  return workflows.filter(({ file }) => !file.startsWith(bundled));
}

/** The user's own workflows that our chart seeds: the text of each by a name. n8n knows a workflow by its id. */
export const ownWorkflows = ({
  workflows,
}: Pick<KubernetesOptions, 'workflows'>): Record<string, string> =>
  Object.fromEntries(
    ownOf(workflows)
      .filter((workflow) => !isTwin(workflow))
      .flatMap(exportedIn)
      .map((workflow, index) => {
        const name = `workflow-${String(index + 1)}`;
        return [name, JSON.stringify({ id: name, ...workflow })];
      }),
  );

/** Our chart seeds without credentials; n8n's API, which another chart is seeded by, takes them. */
export function refuseWorkloads({
  workflows,
  how,
  chart,
}: Pick<KubernetesOptions, 'workflows' | 'how' | 'chart'>): void {
  const [own] = ownOf(workflows);
  if (own !== undefined && how === 'existing') {
    throw new Mistake(
      `--existing does not import workflows: import and activate ${own.name} in n8n yourself, and load-test it with --request.`,
    );
  }
  const isGiven = (need: string): boolean =>
    need === 'files' ||
    (need === 'upstream' && how === 'deploy') ||
    (need === 'credential' && chart !== null);
  const needy = workflows.find(({ needs = [] }) => !needs.every(isGiven));
  if (needy !== undefined) {
    throw new Mistake(
      `the workload ${needy.name} calls a service that --target kubernetes does not start${how === 'existing' ? ' for an existing release' : ', or that needs a key which n8n does not have'}: use another workload, or --target process.`,
    );
  }
}
