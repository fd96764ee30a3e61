/** The service that the workloads http-calls and side-effect call: the same answer every time, far faster than n8n. */
import { DEFAULT_MODEL, type StandInPlan, type StandInRule } from './plan';

const ANSWERS = {
  customer: { id: 42, name: 'Ada Example', city: 'Example Town' },
  orders: {
    orders: Array.from({ length: 10 }, (_, id) => ({
      id,
      article: `A-${String(id)}`,
      quantity: id + 1,
    })),
  },
  stock: {
    articles: Array.from({ length: 10 }, (_, id) => ({
      article: `A-${String(id)}`,
      inStock: id * 7,
    })),
  },
};

/** What the credential of these workloads holds. */
const TOKEN = 'load-test-token';

export const bundledRules = (): StandInRule[] =>
  Object.entries(ANSWERS).map(([service, answer]) => ({
    ...{ host: null, method: null, path: `/${service}`, token: TOKEN },
    ...{ latency: { kind: 'fixed', ms: 10 }, status: 200, headers: {}, errors: [], limit: null },
    body: { kind: 'json', value: { service, ...answer } },
  }));

/** One stand-in for several plans. A rule for every path of every host comes last, so that it hides no other. */
export function combined(plans: readonly StandInPlan[], hasBundled: boolean): StandInPlan {
  const rules = plans.flatMap((plan) => plan.rules);
  const isForAll = ({ host, path }: StandInRule): boolean => host === null && path === '/*';
  const [first] = plans;
  return {
    ...{ seed: first?.seed ?? 1, model: first?.model ?? DEFAULT_MODEL },
    rules: [
      ...rules.filter((rule) => !isForAll(rule)),
      ...(hasBundled ? bundledRules() : []),
      ...rules.filter(isForAll),
    ],
  };
}
