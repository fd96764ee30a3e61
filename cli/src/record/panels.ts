/** What a Prometheus had of the time of a run: asked for once, and kept beside the record. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRecordFile } from './parse';
import { z } from 'zod';

export const PANELS_FILE = 'prometheus.json';

export const recordedPanelSchema = z.object({
  /** The dashboard that shows the panel. */
  board: z.string(),
  title: z.string(),
  /** A number is the last value; only lines are drawn in the report of a run. */
  kind: z.enum(['lines', 'number']),
  /** One of Grafana's. */
  unit: z.string(),
  meaning: z.string(),
  series: z.array(
    z.object({
      label: z.string(),
      points: z.array(z.tuple([z.number(), z.number().nullable()])),
    }),
  ),
});
export type RecordedPanel = z.infer<typeof recordedPanelSchema>;

export const recordedPanelsSchema = z.object({
  schemaVersion: z.literal(1),
  /** Selectors of the labels, as regular expressions. */
  namespace: z.string(),
  release: z.string(),
  /** How often Prometheus scraped, and how far apart the points are. */
  scrapeSeconds: z.number(),
  stepSeconds: z.number(),
  /** Those that have data, in the order of the dashboards. */
  panels: z.array(recordedPanelSchema),
});
export type RecordedPanels = z.infer<typeof recordedPanelsSchema>;

/** Null where none were asked for. */
export function readPanels(folder: string): RecordedPanels | null {
  const file = join(folder, PANELS_FILE);
  if (!existsSync(file)) return null;
  return readRecordFile(file, {
    ...{ what: 'the series of a Prometheus', version: 1 },
    schema: recordedPanelsSchema,
  });
}
