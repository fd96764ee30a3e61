import { thresholds, type ThresholdName } from './thresholds';

/**
 * Expressions are written once, with tokens: the chart fills them with the release's own names and the user's values,
 * the plain rules file with what fits any n8n and the defaults.
 */

/** Selects what n8n's processes serve at /metrics, and their `up`. */
export const n8n = (metric: string, ...matchers: string[]): string =>
  `${metric}{${['<<n8n>>', ...matchers].join(',')}}`;

/** Selects what Kubernetes says of n8n's containers. */
export const pods = (metric: string, ...matchers: string[]): string =>
  `${metric}{${['<<pods>>', ...matchers].join(',')}}`;

export const threshold = (name: ThresholdName): string => `<<${name}>>`;

/** Cluster-wide gauges are on each main: never a sum of them. */
export const perRelease = (how: 'sum' | 'max', expression: string): string =>
  `${how} by (namespace, release) (${expression})`;

const plainSelectors: Record<string, string> = {
  n8n: 'job=~".*n8n.*"',
  pods: 'namespace=~".*",pod=~".*n8n.*"',
  claims: 'persistentvolumeclaim=~".*n8n.*"',
  stores: 'statefulset=~".*n8n.*"',
  redis: 'job=~".*redis.*"',
  postgresql: 'job=~".*postgres.*"',
  runbooks: 'https://github.com/n8n-tuned/n8n-tuned/blob/main/docs/runbooks',
  capacity: '0',
};

/** A text for those who have no chart. */
export function filledPlainly(text: string): string {
  return text.replaceAll(/<<(\w+)>>/g, (_, name: string) => {
    if (name in thresholds) return String(thresholds[name as ThresholdName].value);
    const selector = plainSelectors[name];
    if (selector === undefined) throw new Error(`no token <<${name}>>: see monitoring/tokens.ts`);
    return selector;
  });
}
