/** What every profile script exports: its options, one iteration, the look beforehand, the summary. */
import exec from 'k6/execution';
import type { Options } from 'k6/options';
import { closedLoop } from './closed-loop.ts';
import { openLoop } from './open-loop.ts';
import { optionsOf } from './options.ts';
import { otherLoad, withoutSetup, type K6Options } from './planned.ts';
import { print } from './print.ts';
import type { ProfileName } from './profile.ts';
import { waitUntilExpected } from './ready.ts';
import { prepare } from './request.ts';
import { readSettings, type RunIdentity } from './settings.ts';
import { summaryOf, type SummaryFiles } from './summary.ts';
import type { ScriptEnv } from './variables.ts';

declare const __ENV: ScriptEnv;

const CATALOGUE_FILE = import.meta.resolve('../../workflows/catalogue.json');

export interface Script {
  options: Options;
  /** Only looks whether every request gets its expected response. */
  look: () => void;
  setup: () => RunIdentity;
  /** Open loop: the whole run of one lane. Closed loop: one request. */
  iteration: (run?: RunIdentity) => Promise<void> | void;
  handleSummary: (data: unknown) => SummaryFiles;
}

export function script(profile: ProfileName): Script {
  const settings = readSettings(profile, __ENV, (file) => open(file), CATALOGUE_FILE);
  const requests = settings.requests.map((request) => prepare(request, settings));
  const loop = settings.plan.loop === 'open' ? openLoop : closedLoop;
  const own = optionsOf(settings);
  // k6 writes into these what it was told elsewhere.
  const options = { ...own };
  const look = (): void => {
    waitUntilExpected(settings, requests);
  };
  return {
    options,
    look,
    setup: () => {
      const given = options as unknown as K6Options;
      const running = exec.test.options.scenarios as unknown as K6Options;
      const other = otherLoad(settings, own as unknown as K6Options, given, running);
      if (other !== null) exec.test.abort(other);
      look();
      if (settings.beginsAtMs !== null && settings.prints) print(['r', Date.now()]);
      return { runId: settings.runId, seed: settings.seed };
    },
    iteration: (run) => {
      if (run === undefined) exec.test.abort(withoutSetup(settings));
      else return loop(settings, requests, run);
    },
    handleSummary: (data) => summaryOf(settings, data),
  };
}
