/** What a Prometheus had of the time of a run: asked for once, and kept beside the record. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, Mistake } from '../ui/exit';

export const PANELS_FILE = 'prometheus.json';

export interface RecordedPanels {
  schemaVersion: 1;
  /** Selectors of the labels, as regular expressions. */
  namespace: string;
  release: string;
  /** How often Prometheus scraped, and how far apart the points are. */
  scrapeSeconds: number;
  stepSeconds: number;
  /** Those that have data, in the order of the dashboards. */
  panels: RecordedPanel[];
}

export interface RecordedPanel {
  /** Of the dashboard that shows it. */
  board: string;
  title: string;
  /** A number is the last value; only lines are drawn in the report of a run. */
  kind: 'lines' | 'number';
  /** One of Grafana's. */
  unit: string;
  meaning: string;
  series: { label: string; points: [seconds: number, value: number | null][] }[];
}

/** Null where none were asked for. */
export function readPanels(folder: string): RecordedPanels | null {
  const file = join(folder, PANELS_FILE);
  if (!existsSync(file)) return null;
  try {
    const panels = JSON.parse(readFileSync(file, 'utf8')) as RecordedPanels;
    if (Number(panels.schemaVersion) === 1) return panels;
    throw new Error(`it has schemaVersion ${String(panels.schemaVersion)}`);
  } catch (error) {
    throw new Mistake(
      `${file} cannot be read: ${messageOf(error)}; n8n-tuned report ${PROMETHEUS} makes it again.`,
    );
  }
}

const PROMETHEUS = '--prometheus URL';
