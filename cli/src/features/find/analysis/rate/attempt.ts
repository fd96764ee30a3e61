/** Whether a system sustains a rate, looked at again and again while the load goes on. Pure. */
import { holds } from '../../../../../../loadtests/lib/condition';
import type { Slo } from '../../../../../../loadtests/lib/slo';
import { hasLatency } from '../../../../analysis/requests/latency';
import { PERCENTILES } from '../../../../analysis/slo/min-requests';
import { PIECE_MS, shareOf, type Piece } from '../../../../analysis/statistics/share';
import type { RequestSample } from '../../../../record/run-record';
import type { RateLook, SeenShare } from '../../rate-record';

/** The share of requests that may break an SLO, and which of them do. */
interface Criterion {
  slo: Slo;
  allowed: number;
  /** A request without a response at this age breaks a condition on latency. */
  patienceMs: number | null;
}

/** A response is read so much later than it came. */
const READ_WITHIN_MS = 500;
/** The first look, and how much later each of the next ones is. */
export const FIRST_LOOK_SECONDS = 10;
const LATER = 1.4;
/** The share of tests that may be wrong on each side, over all looks together. */
const WRONG = 0.02;
/** Each look judges all of the measured time, and its second half, as what disturbed the beginning is over then. */
const PARTS = [1, 0.5] as const;

/** The SLOs of which each request shows whether it breaks them; the others are judged once the load has ended. */
export const isSeenAtOnce = ({ metric, bound, operator }: Slo): boolean =>
  operator.startsWith('<') && (metric in PERCENTILES || (metric === 'errors' && bound > 0));

interface Bin {
  due: number;
  ended: number;
  /** One number for each criterion, in its order. */
  counted: number[];
  broken: number[];
}

export interface AttemptSettings {
  slos: readonly Slo[];
  warmupSeconds: number;
  /** When each request is due, in order. */
  dueMs: ArrayLike<number>;
  /** Measured seconds before which there is no YES: what goes wrong slowly does not show sooner. */
  yesAfterSeconds: number;
}

/**
 * A sequential test. Each look asks of which share of requests breaks an SLO whether it is surely below or surely above
 * what the SLO permits. All looks share what may be wrong, so that their number makes the answer no less sure.
 */
export class RateAttempt {
  private readonly criteria: readonly Criterion[];
  private readonly bins: Bin[] = [];
  private readonly patienceMs: number;
  private readonly wrongOfALook: number;
  private readonly all: RateLook[] = [];
  private nextLookSeconds = FIRST_LOOK_SECONDS;

  constructor(private readonly settings: AttemptSettings) {
    this.criteria = settings.slos.filter(isSeenAtOnce).map(criterionOf);
    this.patienceMs = Math.max(0, ...this.criteria.map(({ patienceMs }) => patienceMs ?? 0));
    const { dueMs } = settings;
    for (let i = 0; i < dueMs.length; i += 1) this.binAt(dueMs[i] ?? 0).due += 1;
    const seconds = this.secondsAt(dueMs[dueMs.length - 1] ?? 0);
    const looks = 1 + Math.max(1, Math.log(seconds / FIRST_LOOK_SECONDS) / Math.log(LATER));
    this.wrongOfALook = WRONG / Math.ceil(looks) / PARTS.length;
  }

  /** Every look, the last one last. */
  get made(): readonly RateLook[] {
    return this.all;
  }

  get answer(): RateLook['answer'] {
    return this.all.at(-1)?.answer ?? null;
  }

  /** Time in the load up to which is known what became of each request; null while the answer is open. */
  get knownUntilMs(): number | null {
    const last = this.all.at(-1);
    if (last === undefined || last.answer === null) return null;
    return 1000 * (this.settings.warmupSeconds + last.seconds);
  }

  /** Takes requests in the order of their ends, and looks where it is time to. */
  see(sample: RequestSample): void {
    this.count(sample);
    const nowMs = sample.tMs + sample.durationMs;
    const seconds = this.secondsAt(nowMs);
    if (seconds < this.nextLookSeconds || this.answer !== null) return;
    while (this.nextLookSeconds <= seconds) this.nextLookSeconds *= LATER;
    this.look(nowMs);
  }

  /** Looks whether or not it is time to, as at the end of the load. */
  look(nowMs: number): void {
    const bins = this.measured(nowMs);
    const seconds = (bins.length * PIECE_MS) / 1000;
    const judged = PARTS.map((part): RateLook => {
      const fromBin = Math.round((1 - part) * bins.length);
      const shares = this.criteria.map((criterion, index) =>
        seenShare(bins.slice(fromBin), criterion, index, this.wrongOfALook),
      );
      return { seconds, fromSeconds: (fromBin * PIECE_MS) / 1000, shares, answer: saidBy(shares) };
    });
    const [whole] = judged;
    if (whole === undefined) return;
    const isEarly = seconds < this.settings.yesAfterSeconds;
    const keeps = whole.shares.every(({ share, allowed }) => share <= allowed);
    const decisive = judged.filter(
      ({ answer }) => answer === 'no' || (answer === 'yes' && keeps && !isEarly),
    );
    const [first] = decisive;
    // If the second half says something else than the whole, the system has changed.
    const isClear = decisive.every(({ answer }) => answer === first?.answer);
    this.all.push(first !== undefined && isClear ? first : { ...whole, answer: null });
  }

  private count(sample: RequestSample): void {
    const bin = this.binAt(sample.tMs);
    bin.ended += 1;
    for (const [i, { slo, patienceMs }] of this.criteria.entries()) {
      if (patienceMs !== null && !hasLatency(sample)) continue;
      bin.counted[i] = (bin.counted[i] ?? 0) + 1;
      const broke = patienceMs === null ? !sample.ok : !holds(sample.durationMs, slo);
      if (broke) bin.broken[i] = (bin.broken[i] ?? 0) + 1;
    }
  }

  /** Measured seconds of which is known what became of each request. */
  private secondsAt(nowMs: number): number {
    const untilMs = nowMs - this.patienceMs - READ_WITHIN_MS;
    return Math.max(0, untilMs / 1000 - this.settings.warmupSeconds);
  }

  private measured(nowMs: number): Bin[] {
    const from = Math.ceil((1000 * this.settings.warmupSeconds) / PIECE_MS);
    return this.bins.slice(from, from + Math.floor((1000 * this.secondsAt(nowMs)) / PIECE_MS));
  }

  private binAt(tMs: number): Bin {
    const index = Math.max(0, Math.floor(tMs / PIECE_MS));
    while (this.bins.length <= index) {
      const none = (): number[] => this.criteria.map(() => 0);
      this.bins.push({ due: 0, ended: 0, counted: none(), broken: none() });
    }
    return this.bins[index] as Bin;
  }
}

function criterionOf(slo: Slo): Criterion {
  const share = PERCENTILES[slo.metric];
  return share === undefined
    ? { slo, allowed: slo.bound, patienceMs: null }
    : // 1 - 0.95 is not quite 0.05.
      { slo, allowed: Number((1 - share).toPrecision(6)), patienceMs: slo.bound };
}

function seenShare(
  bins: readonly Bin[],
  { slo, allowed, patienceMs }: Criterion,
  index: number,
  wrong: number,
): SeenShare {
  const each = bins.map((bin): Piece => {
    // A request that waits longer than the bound breaks the SLO, with or without a response.
    const waiting = patienceMs === null ? 0 : Math.max(0, bin.due - bin.ended);
    return {
      requests: (bin.counted[index] ?? 0) + waiting,
      broken: (bin.broken[index] ?? 0) + waiting,
    };
  });
  return { slo: slo.text, allowed, ...shareOf(each, PIECE_MS / 1000, wrong) };
}

function saidBy(shares: readonly SeenShare[]): RateLook['answer'] {
  if (shares.some(({ low, allowed }) => low > allowed)) return 'no';
  return shares.every(({ high, allowed }) => high <= allowed) ? 'yes' : null;
}
