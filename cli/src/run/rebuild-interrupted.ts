import { totals } from '../analysis/metrics';
import { mean } from '../analysis/statistics/statistics';
import { isAlive } from '../linux/proc';
import { completeFolder, REQUESTS_FILE, SAMPLES_FILE } from '../record/folder';
import { readHead, readSamples } from '../record/read-run';
import type { RunData } from './report/data';
import { Mistake } from '../ui/exit';
import { conclude } from './conclude';
import { seenAgain } from './read';
import { duration } from '../ui/numbers';

/**
 * A run whose command was killed has no run.json. What it had recorded is concluded here as aborted,
 * and is then a run like any other.
 */
export async function rebuildInterruptedRun(folder: string): Promise<RunData> {
  const { maker, head } = readHead(folder);
  if (isAlive(maker)) {
    throw new Mistake(
      `the run in ${folder} is still running (process ${String(maker.pid)}): wait until it has ended.`,
    );
  }
  const requests = await seenAgain(folder, head);
  const samples = readSamples(folder);
  const lastMs = requests.figures.lastEndMs;
  const used = totals(samples, { metric: 'cpuCores', role: 'generator' });
  const seen = { requests, kept: [], samples };
  const record = conclude(head, seen, {
    endedAt: new Date(Date.parse(head.startedAt) + lastMs).toISOString(),
    loadBeganAt: null,
    aborted: `n8n-tuned itself was killed ${duration(lastMs)} into the load`,
    generator: {
      cpuCoresMean: used.length > 0 ? mean(used.map(({ value }) => value)) : 0,
      coresAvailable: null,
      notSent: 0,
    },
    executions: null,
    traced: { skipped: 'n8n-tuned itself was killed' },
    countedWithin: null,
    queueDrained: null,
    failedSamplers: [],
    events: [
      {
        tMs: lastMs,
        kind: 'killed',
        text: 'n8n-tuned was killed; this record contains everything until then',
      },
    ],
    files: { requests: REQUESTS_FILE, samples: SAMPLES_FILE, logs: [] },
  });
  completeFolder(folder, record);
  return { record, requests: requests.timeline, samples };
}
