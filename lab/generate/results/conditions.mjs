// Under what the figures of a page were measured: machine, n8n, arrivals and days, as its records say.
import { pathOf, readJson, recordsNamed } from '../records.ts';

/** What records call the time of their measurement. */
const DAYS = ['startedAt', 'when', 'recordedAt'];
const ARRIVALS = ['even', 'random'];
const RECORDED = /\]\((\.\.\/[^)#]+(?:\.json|\.jsonl\.gz#[^)]+))\)/g;

/** The record that a link of a page leads to, and the runs beneath that of a sweep. */
function recordsAt(path) {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return [path, ...(path.endsWith('/sweep.json') ? recordsNamed('run.json', folder) : [])];
}

/** What `pick` gives of an object of a record and of all within it. */
function* within(value, pick) {
  if (value === null || typeof value !== 'object') return;
  yield* pick(value);
  for (const part of Object.values(value)) yield* within(part, pick);
}

const ofMachine = (text) => (record) =>
  within(record, (part) =>
    typeof part.cpu === 'string' && typeof part.cores === 'number' ? [text(part)] : [],
  );
const coresIn = ofMachine(({ cores }) => `${cores} cores`);
const cpusIn = ofMachine(({ cpu }) => cpu.replace(/\((R|TM)\)| Processor/g, ''));
const versionsIn = (record) =>
  within(record, ({ versions, topology }) =>
    [versions?.n8n, topology?.n8n].filter((version) => /^\d/.test(version ?? '')),
  );
/** Of open loops, whose records say it themselves or in their load profile. */
const arrivalsIn = (record) =>
  within(record, ({ arrivals }) => (ARRIVALS.includes(arrivals) ? [arrivals] : []));
const daysIn = (record) =>
  within(record, (part) =>
    DAYS.map((key) => part[key])
      .filter((text) => /^\d{4}-\d\d-\d\d/.test(text ?? ''))
      .map((text) => text.slice(0, 10)),
  );

const distinct = (values) => [...new Set(values)].toSorted();

/** In a few words, from the text of a page. */
export function conditionsOf(text) {
  const linked = distinct([...text.matchAll(RECORDED)].map(([, href]) => pathOf(href)));
  return conditionsIn(distinct(linked.flatMap(recordsAt)).map(readJson));
}

export function conditionsIn(records) {
  const of = (pick) => distinct(records.flatMap((record) => [...pick(record)]));
  const [cores, cpus, versions] = [coresIn, cpusIn, versionsIn].map(of);
  const [arrivals, days] = [arrivalsIn, daysIn].map(of);
  return [
    cores.length === 0 ? 'machine not recorded' : `${cores.join(' or ')} (${cpus.join(' or ')})`,
    versions.length === 0 ? '' : `n8n ${versions.join(' and ')}`,
    arrivals.length === 0 ? '' : `${arrivals.join(' and ')} arrivals`,
    distinct([days.at(0), days.at(-1)].filter(Boolean)).join(' to '),
  ]
    .filter((part) => part !== '')
    .join('; ');
}
