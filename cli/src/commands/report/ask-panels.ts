/** The panels of our dashboards for the time of a run, out of a Prometheus. */
import { boards } from '../../../../monitoring/dashboards/boards';
import { containers } from '../../../../monitoring/dashboards/boards/containers';
import type { DashboardSpec } from '../../../../monitoring/dashboards/spec';
import {
  exactly,
  filled,
  recordedPanel,
  scrapeSecondsOf,
  stepSecondsOf,
} from '../../analysis/panels';
import type { PrometheusApi } from '../../prometheus/query';
import type { RecordedPanel, RecordedPanels } from '../../record/panels';
import type { RunRecord } from '../../record/run-record';

export interface Whose {
  /** Left out: that of the record, else any. */
  namespace?: string;
  release?: string;
}

const ANY = '.*';
/** Prometheus's own default, if nothing shows how often it scrapes. */
const DEFAULT_SCRAPE_SECONDS = 60;

export async function askPanels(
  api: Pick<PrometheusApi, 'scraped' | 'range'>,
  record: Pick<RunRecord, 'startedAt' | 'endedAt' | 'loadBeganAt' | 'target'>,
  whose: Whose,
): Promise<RecordedPanels> {
  const { deployed } = record.target;
  const namespace = whose.namespace ?? deployed?.namespace;
  const release = whose.release ?? deployed?.release;
  const zeroMs = Date.parse(record.loadBeganAt ?? record.startedAt);
  const toMs = Date.parse(record.endedAt);
  return panelsBetween(
    api,
    {
      ofN8n: boards,
      beside: namespace === undefined ? [] : [containers],
    },
    { zeroMs, toMs },
    {
      namespace: namespace === undefined ? ANY : exactly(namespace),
      release: release === undefined ? ANY : exactly(release),
    },
  );
}

interface DashboardsAsked {
  /** Left out where there is no n8n: `or vector(0)` would draw lines of one. */
  ofN8n: readonly DashboardSpec[];
  beside: readonly DashboardSpec[];
}

async function panelsBetween(
  api: Pick<PrometheusApi, 'scraped' | 'range'>,
  { ofN8n, beside }: DashboardsAsked,
  { zeroMs, toMs }: { zeroMs: number; toMs: number },
  { namespace, release }: { namespace: string; release: string },
): Promise<RecordedPanels> {
  const rangeSeconds = Math.max(1, (toMs - zeroMs) / 1000);
  const stepSeconds = stepSecondsOf(rangeSeconds);
  const scraped = await api.scraped(
    `n8n_process_start_time_seconds{namespace=~"${namespace}",release=~"${release}"}[${String(Math.ceil(rangeSeconds) + 120)}s]`,
    toMs,
  );
  const scrapeSeconds = scrapeSecondsOf(scraped) ?? DEFAULT_SCRAPE_SECONDS;
  const variables = { namespace, release, scrapeSeconds, stepSeconds, rangeSeconds };
  const panels: RecordedPanel[] = [];
  const seen = new Set<string>();
  for (const board of [...(scraped.length === 0 ? [] : ofN8n), ...beside]) {
    for (const spec of board.rows.flatMap((row) => row.panels)) {
      // A panel that several dashboards have is shown with the first.
      if (seen.has(spec.title)) continue;
      seen.add(spec.title);
      const answers = await Promise.all(
        spec.queries.map(({ expr }) =>
          api.range(filled(expr, variables), { fromMs: zeroMs, toMs, stepSeconds }),
        ),
      );
      const panel = recordedPanel(spec, board.title, answers, { zeroMs, toMs, stepSeconds });
      if (panel !== null) panels.push(panel);
    }
  }
  return { schemaVersion: 1, namespace, release, scrapeSeconds, stepSeconds, panels };
}
