/** The rules file of a stand-in: what a user writes, checked and made into a plan. */
import { z } from 'zod';
import { parseDuration } from '../../../loadtests/lib/duration';
import { parseYamlFile } from '../ui/yaml-file';
import { faultOf } from './analysis/template';
import { bundledRules } from './bundled';
import {
  DEFAULT_MODEL,
  type Body,
  type ErrorPlan,
  type Latency,
  type Model,
  type StandInPlan,
} from './plan';

const milliseconds = z.union([z.string(), z.number()]).transform((text, context): number => {
  try {
    // A number alone would be seconds, and looks like milliseconds.
    if (typeof text === 'number' && text !== 0) throw new Error();
    return 1000 * parseDuration(String(text));
  } catch {
    context.addIssue({ code: 'custom', message: 'expected a time, such as 120ms or 2s' });
    return z.NEVER;
  }
});

const share = z.union([z.string(), z.number()]).transform((text, context): number => {
  const value = /^\d+(\.\d+)?%$/.test(String(text)) ? Number(String(text).slice(0, -1)) / 100 : NaN;
  if (value >= 0 && value <= 1) return value;
  context.addIssue({ code: 'custom', message: 'expected a percentage, such as 1%' });
  return z.NEVER;
});

const latency = z.union([
  milliseconds.transform((ms): Latency => ({ kind: 'fixed', ms })),
  z
    .strictObject({ p50: milliseconds, p95: milliseconds })
    .refine(({ p50, p95 }) => p50 > 0 && p95 >= p50, 'expected a p95 that is not below the p50')
    .transform(({ p50, p95 }): Latency => ({ kind: 'lognormal', p50Ms: p50, p95Ms: p95 })),
  z
    .strictObject({ quantiles: z.record(z.string(), milliseconds) })
    .transform(({ quantiles }, context): Latency => {
      const points = Object.entries(quantiles)
        .map(([name, ms]) => ({ share: Number(name.replace('p', '')) / 100, ms }))
        .sort((one, other) => one.share - other.share);
      const isRising = points.every(({ ms }, index) => ms >= (points[index - 1]?.ms ?? 0));
      if (points.length > 0 && isRising && points.every((point) => point.share <= 1)) {
        return { kind: 'quantiles', points };
      }
      context.addIssue({
        code: 'custom',
        message: 'expected increasing percentiles, such as { p50: 120ms, p95: 900ms }',
      });
      return z.NEVER;
    }),
]);

const count = (min: number, max = 1_000_000) => z.int().min(min).max(max);

const template = z.unknown().superRefine((value, context) => {
  const fault = faultOf(value);
  if (fault !== null) context.addIssue({ code: 'custom', message: fault });
});

const headerTemplate = z.string().superRefine((value, context) => {
  const fault = faultOf(value);
  if (fault !== null) context.addIssue({ code: 'custom', message: fault });
});

const error = z
  .strictObject({
    status: count(400, 599).optional(),
    retryAfter: milliseconds.optional(),
    hang: z.literal(true).optional(),
    reset: z.literal(true).optional(),
    share: share.optional(),
    first: count(1).optional(),
    every: count(1).optional(),
    burst: z.strictObject({ good: milliseconds, bad: milliseconds }).optional(),
  })
  .refine(
    (value) => one(value.status, value.hang, value.reset),
    'expected one of status, hang and reset',
  )
  .refine(
    (value) => one(value.share, value.first, value.every, value.burst),
    'expected one of share, first, every and burst',
  )
  .transform(({ status, retryAfter, hang, share: part, first, every, burst }): ErrorPlan => {
    const retryAfterSeconds = retryAfter === undefined ? null : Math.ceil(retryAfter / 1000);
    return {
      what:
        status === undefined
          ? { kind: hang === true ? 'hang' : 'reset' }
          : { kind: 'status', status, retryAfterSeconds },
      when:
        part !== undefined
          ? { kind: 'share', share: part }
          : first !== undefined
            ? { kind: 'first', attempts: first }
            : every !== undefined
              ? { kind: 'every', calls: every }
              : { kind: 'burst', goodMs: burst?.good ?? 0, badMs: burst?.bad ?? 0 },
    };
  });

const one = (...values: unknown[]): boolean =>
  values.filter((value) => value !== undefined).length === 1;

const rule = z
  .strictObject({
    host: z.string().toLowerCase().optional(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']).optional(),
    path: z.string().startsWith('/', 'expected a path that begins with /').default('/*'),
    token: z.string().optional(),
    latency: latency.prefault('50ms'),
    status: count(100, 599).default(200),
    headers: z.record(z.string(), headerTemplate).default({}),
    json: template.optional(),
    text: z.string().optional(),
    pages: z
      .strictObject({
        items: count(0),
        size: count(1),
        item: template,
        field: z.string().default('data'),
      })
      .optional(),
    errors: z.array(error).default([]),
    limit: z
      .strictObject({ calls: count(1), per: milliseconds })
      .refine(({ per }) => per > 0, 'expected a time above 0')
      .optional(),
  })
  .refine(
    ({ json, text, pages }) =>
      [json, text, pages].filter((value) => value !== undefined).length < 2,
    'expected one of json, text and pages',
  )
  .transform(({ host, method, token, json, text, pages, limit, ...rest }) => ({
    ...rest,
    host: host ?? null,
    method: method ?? null,
    token: token ?? null,
    body: bodyOf(json, text, pages),
    limit: limit === undefined ? null : { calls: limit.calls, perMs: limit.per },
  }));

function bodyOf(
  json: unknown,
  text: string | undefined,
  pages: { items: number; size: number; item: unknown; field: string } | undefined,
): Body {
  if (pages !== undefined) return { kind: 'pages', ...pages };
  if (text !== undefined) return { kind: 'text', text };
  return json === undefined ? { kind: 'none' } : { kind: 'json', value: json };
}

const model = z
  .strictObject({
    firstToken: latency,
    betweenTokens: latency,
    tokens: count(1, 100_000),
    toolRounds: count(0, 100),
    tokensPerMinute: count(1, 1_000_000_000),
    cut: share,
    dimensions: count(1, 10_000),
  })
  .partial()
  .transform(({ cut, ...given }): Model => ({
    ...DEFAULT_MODEL,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(cut === undefined ? {} : { cutShare: cut }),
  }));

const rulesSchema: z.ZodType<StandInPlan> = z.strictObject({
  seed: count(0, 2 ** 31).default(1),
  rules: z.array(rule).default([]),
  model: model.prefault({}),
});

/** What is wrong is said with the file, the line and what was expected. */
export const parseRules = (text: string, file: string): StandInPlan =>
  parseYamlFile(text, file, { name: 'rules file', schema: rulesSchema });

/** Without a rules file: what bundled workloads call, and 200 for everything else. */
export const planWithoutRules = (): StandInPlan => {
  const { rules, ...rest } = rulesSchema.parse({ rules: [{ json: { ok: true, call: '{{n}}' } }] });
  return { ...rest, rules: [...bundledRules(), ...rules] };
};
