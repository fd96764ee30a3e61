/** What every profile script exports: its options, one iteration, the look beforehand, the summary. */
import type { Options } from 'k6/options';
import { closedLoop } from './closed-loop.ts';
import { openLoop } from './open-loop.ts';
import { optionsOf } from './options.ts';
import { print } from './print.ts';
import type { ProfileName } from './profile.ts';
import { waitUntilExpected } from './ready.ts';
import { prepare } from './request.ts';
import { readSettings, type RunIdentity } from './settings.ts';
import { summaryOf, type SummaryFiles } from './summary.ts';

declare const __ENV: Record<string, string | undefined>;

const CATALOGUE_FILE = import.meta.resolve('../../workflows/catalogue.json');

export interface Script {
  options: Options;
  setup: () => RunIdentity;
  /** Open loop: the whole run of one lane. Closed loop: one request. */
  iteration: (run: RunIdentity) => Promise<void> | void;
  handleSummary: (data: unknown) => SummaryFiles;
}

export function script(profile: ProfileName): Script {
  const settings = readSettings(profile, __ENV, (file) => open(file), CATALOGUE_FILE);
  const requests = settings.requests.map((request) => prepare(request, settings.baseUrl));
  const loop = settings.plan.loop === 'open' ? openLoop : closedLoop;
  return {
    options: optionsOf(settings),
    setup: () => {
      waitUntilExpected(settings, requests);
      if (settings.beginsAtMs !== null && settings.prints) print(['r', Date.now()]);
      return { runId: settings.runId, seed: settings.seed };
    },
    iteration: (run) => loop(settings, requests, run),
    handleSummary: (data) => summaryOf(settings, data),
  };
}
