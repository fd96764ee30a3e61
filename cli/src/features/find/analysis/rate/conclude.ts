/** From the attempts to the answer whether a rate is sustained. Pure. */
import { limitOfRun } from '../../../../analysis/limits/limit-seen';
import { limitName } from '../../../../analysis/limits/table';
import { donePerSecond, doneShare } from '../../../../analysis/cost';
import { workloadName } from '../../../../plan/chosen-workload';
import type { RunRecord } from '../../../../record/run-record';
import { duration, formatNumber, percent } from '../../../../ui/numbers';
import type { Attempt, RateLook, RateRecord, SeenShare } from '../../rate-record';
import { cpuPerRequest } from '../machine-speed';
import { resultOf } from '../outcome';
import { isSeenAtOnce } from './attempt';
import { nextStep, YES_AFTER_SECONDS } from './steps';

export type RateHead = Omit<
  RateRecord,
  'sentence' | 'answer' | 'decidesAfterSeconds' | 'limit' | 'doubts'
>;

export interface RateEnding {
  /** Why it was ended before its end; null where it was not. */
  stoppedBy: string | null;
  /** Why no further attempt could be made; null where none failed to be made. */
  failure: string | null;
  /** Numbers of the attempts before which the system did not come to rest. */
  restless: number[];
}

/** What rate.json keeps of the run of an attempt. */
export function attemptOf(record: RunRecord, looks: readonly RateLook[], run: string): Attempt {
  const { summary, verdict, profile } = record;
  const open = verdict.slos.find(({ state }) => state === 'undecided');
  return {
    answer: answerOf(record, looks.at(-1)?.answer ?? null),
    seconds: profile.warmupSeconds + profile.durationSeconds,
    achievedPerSecond: donePerSecond(summary),
    achievedShare: doneShare(summary),
    p95Ms: summary.latencyMs?.p95 ?? null,
    errorShare: summary.errors.share,
    cpuPerRequest: cpuPerRequest(summary),
    limitedBy: limitOfRun(verdict),
    sentence: verdict.sentence,
    missed: (verdict.breaches[0] ?? open)?.text ?? null,
    looks: [...looks],
    doubts: verdict.doubts,
    run,
  };
}

/** The looks decide what each request shows; the run as a whole decides the rest, such as a backlog or a restart. */
function answerOf(record: RunRecord, seen: RateLook['answer']): Attempt['answer'] {
  if (resultOf(record) === 'invalid') return 'invalid';
  const { slo, verdict } = record;
  const atOnce = new Set(slo.filter(isSeenAtOnce).map(({ text }) => text));
  if (seen === 'no' || verdict.breaches.some((breach) => !atOnce.has(breach.slo))) return 'no';
  const isOpen = verdict.slos.some((one) => one.state === 'undecided' && !atOnce.has(one.slo));
  return isOpen ? null : seen;
}

export function concludeRate(head: RateHead, ending: RateEnding): RateRecord {
  const next = nextStep(head.attempts, head.budgetSeconds);
  const answer = 'answer' in next ? next.answer : 'not yet';
  const missed = head.attempts.findLast((attempt) => attempt.answer === 'no');
  const decidesAfterSeconds = answer === 'not yet' ? decidesAfter(head.attempts) : null;
  return {
    ...head,
    answer,
    decidesAfterSeconds,
    limit: missed?.limitedBy.limit ?? null,
    sentence: sentenceOf(head, answer, decidesAfterSeconds),
    doubts: doubtsOf(head, answer, ending),
  };
}

/** Nobody waits for an answer that takes more than this many times what was measured. */
const MAX_TIMES = 100;
/** Room, as the estimate rests on what is to be measured. */
const ROOM = 1.2;

/** An interval narrows with the square root of the time. */
function decidesAfter(attempts: readonly Attempt[]): number | null {
  const last = attempts.at(-1);
  const look = last?.looks.at(-1);
  if (last === undefined || look === undefined) return null;
  const total = attempts.reduce((sum, { seconds }) => sum + seconds, 0);
  // It missed, and has to be seen to miss once more.
  if (last.answer === 'no') return total + ROOM * last.seconds;
  const times = look.shares.map(({ share, low, high, allowed }) => {
    const half = share < allowed ? high - share : share - low;
    return (half / Math.abs(allowed - share)) ** 2;
  });
  const max = Math.max(1, ...times);
  if (!(max <= MAX_TIMES)) return null;
  const measured = Math.max(ROOM * max * look.seconds, ROOM * YES_AFTER_SECONDS);
  return total - look.seconds + measured;
}

function sentenceOf(
  { workload, slo, target, ratePerSecond, attempts }: RateHead,
  answer: RateRecord['answer'],
  decidesAfterSeconds: number | null,
): string {
  const loaded = target.kind === 'server' ? 'the server' : 'n8n';
  const wanted = `${formatNumber(ratePerSecond)} req/s of ${workloadName(workload)} with ${slo.map(({ text }) => text).join(', ')}`;
  const begin = loaded === 'n8n' ? loaded : 'The server';
  const last = attempts.at(-1);
  const seconds = `${formatNumber(Math.round(attempts.reduce((sum, one) => sum + one.seconds, 0)))} s of load`;
  if (answer === 'invalid') {
    return last?.sentence ?? `Nothing can be said about ${wanted}.`;
  }
  if (answer === 'yes') {
    const p95 = last?.p95Ms == null ? '' : `p95 ${duration(last.p95Ms)}, `;
    return `${begin} sustains ${wanted}: ${p95}${percent(last?.errorShare ?? 0)} errors in ${seconds}.`;
  }
  if (answer === 'no') {
    const limit = last?.limitedBy.limit ?? null;
    const limited = limit === null ? '' : `; limited by the ${limitName(limit)}`;
    return `${begin} does not sustain ${wanted}: ${last?.missed ?? 'it missed the SLO'}, in ${String(attempts.length)} attempts${limited}.`;
  }
  return `Whether ${loaded} sustains ${wanted} is still undecided after ${seconds}${openText(last)}; ${whatDecides(last, decidesAfterSeconds)}.`;
}

function openText(last: Attempt | undefined): string {
  if (last?.answer === 'no') return `: ${last.missed ?? 'it missed the SLO'} once`;
  const open = last?.looks.at(-1)?.shares.find((seen) => !isBelow(seen));
  return open === undefined ? '' : `: ${shareText(open)}`;
}

const isBelow = ({ high, allowed }: SeenShare): boolean => high <= allowed;

/** `4.1% of the requests broke p95<300ms (between 2.9% and 5.8%), and 5% may`. */
export const shareText = ({ slo, share, low, high, allowed }: SeenShare): string =>
  `${percent(share)} of the requests missed ${slo} (interval: ${percent(low)} to ${percent(high)}), and at most ${percent(round(allowed))} may miss it`;

/** 1 - 0.95 is not quite 0.05. */
const round = (share: number): number => Number(share.toPrecision(6));

function whatDecides(last: Attempt | undefined, seconds: number | null): string {
  if (last === undefined) return 'no attempt was completed';
  if (seconds === null) {
    return 'the rate is so close to the capacity that more time would hardly help: ask for a lower rate, or search for the capacity without --rate';
  }
  return `about ${timeText(seconds)} of load would decide it (--budget)`;
}

const timeText = (seconds: number): string =>
  seconds < 120
    ? `${String(10 * Math.ceil(seconds / 10))} s`
    : `${formatNumber(Math.ceil(seconds / 60))} min`;

function doubtsOf(
  { attempts, before }: RateHead,
  answer: RateRecord['answer'],
  { stoppedBy, failure, restless }: RateEnding,
): string[] {
  const missed = attempts.filter((attempt) => attempt.answer === 'no').length;
  return [
    ...(before?.disturbances ?? []),
    ...(stoppedBy === null ? [] : [`The check did not finish: it was ${stoppedBy}.`]),
    ...(failure === null ? [] : [`The next attempt could not be made: ${failure}`]),
    ...(answer === 'yes' && missed > 0
      ? [
          `${missed === 1 ? 'The first attempt' : `The first ${String(missed)} attempts`} missed the SLO: the system was still warming up, or something disturbed it.`,
        ]
      : []),
    ...restless.map((number) => `n8n was not idle before attempt ${String(number)}.`),
    ...attempts.flatMap(({ doubts }, index) =>
      doubts.map(({ text }) => `In attempt ${String(index + 1)}: ${text}.`),
    ),
  ];
}
