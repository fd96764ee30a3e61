// Under what the figures of a page were measured: machine, n8n, arrivals, load and days, as its records say.
import { number, pathOf, readJson, recordsNamed } from './records';

/** What records call the time of their measurement. */
const DAYS = ['startedAt', 'when', 'recordedAt'];
const RECORDED = /\]\(((?:studies|docs)\/[^)#]+(?:\.json|\.jsonl\.gz#[^)]+))\)/g;

/** The record that a link of a page leads to, and the runs beneath that of a sweep. */
function recordsAt(path: string): string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return [path, ...(path.endsWith('/sweep.json') ? recordsNamed('run.json', folder) : [])];
}

type Fields = Record<string, unknown>;

/** An object of a record and all objects within it. */
function* objectsIn(value: unknown): Generator<Fields> {
  if (value === null || typeof value !== 'object') return;
  yield value as Fields;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

const machineOf = ({ cpu, cores }: Fields): { cpu: string; cores: number } | undefined =>
  typeof cpu === 'string' && typeof cores === 'number' ? { cpu, cores } : undefined;
const versionIn = (part: unknown): string | undefined => {
  const version = (part as Fields | null | undefined)?.['n8n'];
  return typeof version === 'string' && /^\d/.test(version) ? version : undefined;
};

const distinct = (values: readonly (string | undefined)[]): string[] =>
  [...new Set(values)]
    .filter((value) => value !== undefined && value !== '')
    .toSorted() as string[];

const versionsIn = (parts: readonly Fields[]): string[] =>
  distinct(parts.flatMap(({ versions, topology }) => [versionIn(versions), versionIn(topology)]));

/** The versions of n8n that a record names, or the runs beneath it. */
export const versionsAt = (path: string): string[] =>
  versionsIn(recordsAt(path).flatMap((one) => [...objectsIn(readJson(one))]));

/** In a few words, from the records that the text of a page links to, and others. */
export function conditionsOf(text: string, others: readonly { path: string }[] = []): string {
  const linked = [...text.matchAll(RECORDED)].map(([, href = '']) => pathOf(href));
  const paths = distinct([...linked, ...others.map(({ path }) => path)].flatMap(recordsAt));
  return conditionsIn(paths.map((path) => readJson(path)));
}

export function conditionsIn(records: readonly unknown[]): string {
  const all = records.flatMap((record) => [...objectsIn(record)]);
  const of = (pick: (part: Fields) => string | undefined): string[] => distinct(all.map(pick));
  const cores = of((part) => machineOf(part) && `${String(machineOf(part)?.cores)} cores`);
  const cpus = of((part) => machineOf(part)?.cpu.replace(/\((R|TM)\)| Processor/g, ''));
  const versions = versionsIn(all);
  const arrivals = of(({ arrivals: kind }) =>
    kind === 'even' || kind === 'random' ? kind : undefined,
  );
  const loads = all.flatMap(({ loadAverageAtStart: load }) =>
    typeof load === 'number' ? [load] : [],
  );
  const days = distinct(
    all.flatMap((part) => DAYS.map((key) => /^\d{4}-\d\d-\d\d/.exec(String(part[key] ?? ''))?.[0])),
  );
  return [
    cores.length === 0
      ? 'a machine that was not recorded'
      : `${cores.join(' or ')} (${cpus.join(' or ')})`,
    versions.length === 0 ? '' : `n8n ${versions.join(' and ')}`,
    arrivals.length === 0 ? '' : `${arrivals.join(' and ')} arrivals`,
    loads.length === 0
      ? ''
      : `load average ${distinct([Math.min(...loads), Math.max(...loads)].map(number)).join(' to ')}`,
    distinct([days.at(0), days.at(-1)]).join(' to '),
  ]
    .filter((part) => part !== '')
    .join('; ');
}
