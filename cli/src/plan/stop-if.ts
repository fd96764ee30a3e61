/** When a load is to end before its time: `--stop-if`, as the user writes it. Pure. */
import { Mistake } from '../ui/exit';
import { parseDuration } from '../../../loadtests/lib/duration';
import { withoutSecretParts } from './secrets/address';

/** Asked once a second while there is a load. */
export type StopCondition = (Failing | Errors | MetricBound) & {
  /** The condition as the user wrote it, without secrets; shown and recorded once it is met. */
  text: string;
  /** For so long it has to be true. */
  forSeconds: number;
};

/** A URL that gives no response, or one of an error, all the time. */
interface Failing {
  kind: 'fails';
  method: string;
  url: string;
}

/** A URL of whose responses too many are errors. */
interface Errors {
  kind: 'errors';
  method: string;
  url: string;
  /** A fraction of 1. */
  above: number;
}

/** A figure of n8n's own. */
interface MetricBound {
  kind: 'metric';
  metric: string;
  operator: '<' | '<=' | '>' | '>=';
  bound: number;
}

/** Nothing is looked at, not even n8n's health. */
export const NEVER = 'never';

const DEFAULT_SECONDS = 10;
const HOW =
  "use a form such as 'https://shop.example.com/health fails for 30s', 'errors>5% of POST https://shop.example.com/webhook/order' or 'n8n_nodejs_eventloop_lag_p99_seconds>1 for 10s'";

export function parseStopIf(text: string): StopCondition {
  const [, what = '', time] = /^(.*?)(?:\s+for\s+(\S+))?$/s.exec(text.trim()) ?? [];
  const forSeconds = time === undefined ? DEFAULT_SECONDS : secondsIn(time, text);
  const found = failing(what) ?? errors(what) ?? metric(what);
  if (found === null) throw new Mistake(`--stop-if '${text}' is not understood: ${HOW}.`);
  const words = text.trim().split(/\s+/);
  return { ...found, text: words.map(withoutSecretParts).join(' '), forSeconds };
}

function secondsIn(time: string, text: string): number {
  let seconds = 0;
  try {
    seconds = parseDuration(time);
  } catch {
    // Not a time at all.
  }
  if (seconds > 0) return seconds;
  throw new Mistake(`--stop-if '${text}' has no time after 'for': use a form such as for 10s.`);
}

const METHOD = '(?:(GET|HEAD|POST|PUT|PATCH|DELETE)\\s+)?';

function failing(what: string): Failing | null {
  const [, method = 'GET', url] =
    new RegExp(`^${METHOD}(https?://\\S+)\\s+fails$`).exec(what) ?? [];
  return isUrl(url) ? { kind: 'fails', method, url } : null;
}

function errors(what: string): Errors | null {
  const pattern = new RegExp(
    `^errors\\s*>\\s*([0-9.]+)\\s*%\\s+(?:of\\s+)?${METHOD}(https?://\\S+)$`,
  );
  const [, share, method = 'GET', url] = pattern.exec(what) ?? [];
  const above = Number(share) / 100;
  return isUrl(url) && above >= 0 && above < 1 ? { kind: 'errors', method, url, above } : null;
}

function metric(what: string): MetricBound | null {
  const pattern = /^([a-zA-Z_:][\w:]*)\s*(<=|>=|<|>)\s*(-?[0-9]*\.?[0-9]+(?:e[+-]?\d+)?)$/;
  const [, name, operator, bound] = pattern.exec(what) ?? [];
  if (name === undefined || name === 'errors') return null;
  return {
    ...{ kind: 'metric', metric: name, bound: Number(bound) },
    operator: operator as MetricBound['operator'],
  };
}

const isUrl = (url: string | undefined): url is string =>
  url !== undefined && URL.canParse(url) && new URL(url).username === '';
