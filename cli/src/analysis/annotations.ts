/** What a dashboard marks of a run, a search or a drill. */
import type { Annotation } from '../prometheus/grafana';
import type { RunRecord } from '../record/run-record';

const TAG = 'n8n-tuned';

type Measured = Pick<RunRecord, 'workload' | 'startedAt' | 'endedAt'>;

export const runAnnotations = (record: RunRecord): Annotation[] => [
  {
    fromMs: Date.parse(record.loadBeganAt ?? record.startedAt),
    toMs: Date.parse(record.endedAt),
    text: record.verdict.sentence,
    tags: [TAG, 'run', record.workload.name, record.profile.name],
  },
];

export const findAnnotations = (record: Measured & { sentence: string }): Annotation[] => [
  {
    fromMs: Date.parse(record.startedAt),
    toMs: Date.parse(record.endedAt),
    text: record.sentence,
    tags: [TAG, 'find', record.workload.name],
  },
];

/** The whole drill, and each moment in which something was done to the system. */
export function drillAnnotations(
  record: Measured & {
    fault: { name: string; done: readonly { tMs: number; text: string }[] };
    verdict: { sentence: string };
  },
  { loadBeganAt }: Pick<RunRecord, 'loadBeganAt'>,
): Annotation[] {
  const { fault, verdict, workload } = record;
  const tags = [TAG, 'drill', fault.name, workload.name];
  const done = loadBeganAt === undefined ? [] : fault.done;
  return [
    {
      fromMs: Date.parse(record.startedAt),
      toMs: Date.parse(record.endedAt),
      text: verdict.sentence,
      tags,
    },
    ...done.map(({ tMs, text }) => ({
      fromMs: Date.parse(loadBeganAt ?? '') + tMs,
      text,
      tags: [...tags, 'fault'],
    })),
  ];
}
