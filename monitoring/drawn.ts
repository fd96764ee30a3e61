/**
 * The panels of the dashboards as a real Prometheus filled them, drawn by the plot code of the reports; nothing before
 * `make dashboards` has recorded them.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { RecordedPanels } from '../cli/src/record/panels';
import { drawCaptioned } from '../cli/src/report/plot/draw';
import { panelChart } from '../cli/src/run/report/panel-charts';
import { boards } from './dashboards/boards';
import { table } from './runbook';

/** What monitoring/measure.ts keeps. */
interface DashboardsRecord extends RecordedPanels {
  startedAt: string;
  /** The load of the machine within the last five minutes. */
  loadAverage: number;
  sentence: string;
  workload: string;
  profile: { durationSeconds: number; warmupSeconds: number; ratePerSecond: number };
  machine: { cpu: string; cores: number };
  versions: Record<string, string>;
}

export const DRAWN = 'monitoring/dashboards/drawn';
const RECORD = 'docs/records/dashboards.json';
const PAGE = 'monitoring/dashboards/README.md';

const NOTE =
  '<!-- Written by npm run generate from monitoring/dashboards and docs/records/dashboards.json. -->';

export function drawn(root: URL): Record<string, string> {
  const file = new URL(RECORD, root);
  if (!existsSync(file)) return {};
  const record = JSON.parse(readFileSync(file, 'utf8')) as DashboardsRecord;
  const titles = new Set(record.panels.map(({ title }) => title));
  const empty = boards
    .flatMap(({ rows }) => rows.flatMap(({ panels }) => panels))
    .filter(({ title }) => !titles.has(title));
  if (empty.length > 0) {
    const names = empty.map(({ title }) => title).join(', ');
    throw new Error(`${RECORD} has nothing for ${names}: run make dashboards`);
  }
  const images = new Map(
    drawnBy(record).map(({ uid, panels }) => [`${DRAWN}/${uid}.svg`, drawCaptioned(...panels)]),
  );
  const example = EXAMPLE.flatMap((title) =>
    record.panels.filter((panel) => panel.title === title),
  );
  images.set(`${DRAWN}/example.svg`, drawCaptioned(...example.map(panelChart)));
  return { ...Object.fromEntries(images), [PAGE]: page(record) };
}

/** What docs/monitoring.md shows. */
const EXAMPLE = ['Jobs in the queue', 'Webhook latency', 'Heap in use, of its limit'];

/** The panels of each dashboard that had data, each at the first dashboard that has it. */
function drawnBy(record: DashboardsRecord) {
  const shown = new Set<string>();
  return boards.flatMap(({ uid, rows }) => {
    const panels = rows
      .flatMap((row) => row.panels)
      .flatMap(({ title }) => record.panels.filter((panel) => panel.title === title))
      .filter(({ title }) => !shown.has(title));
    for (const { title } of panels) shown.add(title);
    return panels.length === 0 ? [] : [{ uid, panels: panels.map(panelChart) }];
  });
}

function page(record: DashboardsRecord): string {
  const { profile, versions, machine, workload, startedAt } = record;
  const images = new Map(
    drawnBy(record).map(({ uid, panels }) => [uid, panels.map(({ title }) => title)]),
  );
  const recorded = new Set(record.panels.map(({ title }) => title));
  const sections = boards.flatMap(({ uid, title, description, rows }) => {
    const titles = images.get(uid) ?? [];
    const panels = rows.flatMap((row) => row.panels);
    const where = (panel: string) =>
      titles.includes(panel)
        ? ''
        : recorded.has(panel)
          ? ' See the picture in an earlier section.'
          : ' This load test produced no data.';
    return [
      `## ${title}`,
      description,
      table(
        ['panel', 'what it shows', 'when this is bad'],
        panels.map((panel) => [
          panel.title,
          `${panel.meaning}${where(panel.title)}`,
          panel.whenBad,
        ]),
      ),
      ...(titles.length > 0 ? [`![${titles.join(', ')}](drawn/${uid}.svg)`] : []),
    ];
  });
  return [
    '# Dashboards',
    NOTE,
    `The pictures show the data of each panel during one load test. They are not screenshots of Grafana, because Grafana is not available from a package registry. The query of each panel ran against a real Prometheus ${versions['prometheus'] ?? ''} that scraped a real n8n ${versions['n8n'] ?? ''} every ${String(record.scrapeSeconds)} s, and the plot code of our own reports drew the results. To repeat the measurement and draw the pictures again, run \`make dashboards\`. [The record](../../docs/records/dashboards.json) contains every point.`,
    `The load test ran the workload \`${workload}\` at ${String(profile.ratePerSecond)} requests per second for ${String(profile.durationSeconds)} s after ${String(profile.warmupSeconds)} s of warm-up, on ${startedAt.slice(0, 10)}. n8n ran in queue mode with two workers and a webhook processor, each with 1536 MiB, all on one machine (${machine.cpu}, ${String(machine.cores)} cores; load average ${record.loadAverage.toFixed(1)}). The test shows that the panels have data, not how fast n8n is.`,
    ...sections,
  ].join('\n\n');
}
