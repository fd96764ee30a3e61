/** What every profile script exports: its options, one iteration, the look beforehand, the summary. */
import type { Options } from 'k6/options';
import { makeIteration, type RunIdentity } from './iteration.ts';
import { optionsOf } from './options.ts';
import type { ProfileName } from './profile.ts';
import { readSettings } from './settings.ts';
import { summaryOf, type SummaryFiles } from './summary.ts';

declare const __ENV: Record<string, string | undefined>;

const CATALOGUE_FILE = import.meta.resolve('../../workflows/catalogue.json');

export interface Script {
  options: Options;
  setup: () => RunIdentity;
  iteration: (run: RunIdentity) => void;
  handleSummary: (data: unknown) => SummaryFiles;
}

export function script(profile: ProfileName): Script {
  const settings = readSettings(profile, __ENV, (file) => open(file), CATALOGUE_FILE);
  const { iteration, waitUntilRight } = makeIteration(settings);
  return {
    options: optionsOf(settings),
    setup: waitUntilRight,
    iteration,
    handleSummary: (data) => summaryOf(settings, data),
  };
}
