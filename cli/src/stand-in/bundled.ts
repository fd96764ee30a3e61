/** The service that the workloads http-calls and side-effect call: the same answer every time, far faster than n8n. */
import type { StandInRule } from './plan';

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
