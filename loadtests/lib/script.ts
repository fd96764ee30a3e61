/** What every profile script exports: its options, one iteration, the look beforehand, the summary. */
import { sleep } from 'k6';
import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import type { Options } from 'k6/options';
import { closedLoop } from './closed-loop.ts';
import { openLoop } from './open-loop.ts';
import { optionsOf } from './options.ts';
import { otherLoad, withoutSetup, type K6Options } from './planned.ts';
import { print } from './print.ts';
import type { ProfileName } from './profile.ts';
import { asSent, prepare, ended, send, type Prepared } from './request.ts';
import { readSettings, type RunIdentity, type Settings } from './settings.ts';
import { summaryOf, type SummaryFiles } from './summary.ts';
import type { ScriptEnv } from './variables.ts';
import type { LoadRequest } from './workload.ts';

const HTTP_1 = 'HTTP/1.1';

/** Returns once every request got its expected response; ends the run, without load, when one does not. */
function waitUntilExpected(settings: Settings, requests: readonly Prepared[]): void {
  const { readyMs, timeoutMs, runId, onlyHttp1 } = settings;
  if (readyMs === 0) return;
  const giveUpMs = Date.now() + readyMs;
  const waitingFor = (given: Prepared): string => {
    const id = `${runId}-ready`;
    const request = asSent(given, { n: 0, id, random: Math.random });
    const response = send(request, id, Math.min(timeoutMs, readyMs));
    const { why, protocol } = ended(request, response, id, 0, false);
    if (onlyHttp1 && protocol !== '' && protocol !== HTTP_1) {
      exec.test.abort(
        `${request.url} responds over ${protocol} although HTTP=1.1 was asked for: add -e GODEBUG=http2client=0; no load was generated`,
      );
    }
    return why;
  };
  for (const request of requests) {
    let why = waitingFor(request);
    while (why !== '' && Date.now() < giveUpMs) {
      sleep(0.25);
      why = waitingFor(request);
    }
    if (why !== '') {
      exec.test.abort(
        `${request.method} ${request.url} did not get its expected response within ${String(readyMs / 1000)} s (${why}): no load was generated`,
      );
    }
  }
}

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
  const requests = settings.requests.map((request, index) =>
    prepare(withSharedRows(request, index), settings),
  );
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

/** One copy of the rows for all virtual users. */
function withSharedRows(request: LoadRequest, index: number): LoadRequest {
  const { body } = request;
  if (body === null || !('rows' in body)) return request;
  const { rows } = body;
  // The settings hold the request too, and with it the copy of this virtual user.
  body.rows = new SharedArray(`rows of request ${String(index)}`, () => [...rows]);
  return request;
}
