/** Which workloads can be put into an n8n in a cluster. Pure. */
import { sep } from 'node:path';
import { findBundled } from '../../lab/kit';
import { Mistake } from '../../ui/exit';
import type { KubernetesOptions } from './options';

export const needsUpstream = ({ workflows }: Pick<KubernetesOptions, 'workflows'>): boolean =>
  workflows.some(({ needs = [] }) => needs.includes('upstream'));

/** Our chart seeds what is bundled, without credentials; n8n's API, which another chart is seeded by, takes both. */
export function refuseWorkloads({
  workflows,
  how,
  chart,
}: Pick<KubernetesOptions, 'workflows' | 'how' | 'chart'>): void {
  const bundled = `${findBundled('workflows', 'catalogue.json')}${sep}`;
  const own = workflows.find(({ file }) => !file.startsWith(bundled));
  if (own !== undefined && chart === null) {
    throw new Mistake(
      `--target kubernetes puts only bundled workflows into n8n: import and activate ${own.name} there yourself, and load it with --existing and --request.`,
    );
  }
  const isGiven = (need: string): boolean =>
    need === 'files' ||
    (need === 'upstream' && how === 'deploy') ||
    (need === 'credential' && chart !== null);
  const needy = workflows.find(({ needs = [] }) => !needs.every(isGiven));
  if (needy !== undefined) {
    throw new Mistake(
      `the workload ${needy.name} calls a service that --target kubernetes does not start${how === 'existing' ? ' beside a release that is there' : ', or with a key that it does not give n8n'}: take another workload, or --target process.`,
    );
  }
}
