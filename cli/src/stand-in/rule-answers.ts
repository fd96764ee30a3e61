/** What answers the calls of one rule. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { seededRandom, seedOf, type Random } from '../../../loadtests/lib/random';
import { Bucket, errorsOf, type RuleCall } from './analysis/errors';
import { latencies } from './analysis/latency';
import { queryOf, type Destination } from './analysis/match';
import { compiled, type TemplateInput } from './analysis/template';
import type { Body, ErrorPlan, StandInRule } from './plan';
import { JSON_TYPE, later, parsed, readBody, send, tooMany, write } from './respond';

interface CallPlace {
  /** Since the server began. */
  atMs: number;
  destination: Destination;
  /** What stands for the names in the rule's path. */
  path: Record<string, string>;
}

type BodyMaker = (asked: TemplateInput, path: string) => { type: string; text: string } | null;

export class RuleAnswers {
  private readonly latency: () => number;
  private readonly error: (call: RuleCall) => ErrorPlan['what'] | null;
  private readonly bucket: Bucket | null;
  private readonly makeBody: BodyMaker;
  private readonly headersOf: (asked: TemplateInput) => Record<string, string>;
  /** Only then is the body of a request kept. */
  private readonly readsBody: boolean;
  private calls = 0;

  constructor(
    private readonly rule: StandInRule,
    seed: number,
    private readonly random: Random,
  ) {
    this.latency = latencies(rule.latency, seededRandom(seedOf(seed, 0)));
    this.error = errorsOf(rule.errors, seedOf(seed, 1));
    this.bucket = rule.limit === null ? null : new Bucket(rule.limit);
    this.makeBody = bodyMaker(rule.body);
    this.headersOf = headerMaker(rule.headers);
    this.readsBody =
      JSON.stringify([rule.body, rule.headers]).includes('{{body') ||
      rule.errors.some(({ when }) => when.kind === 'first');
  }

  /** It is for every path, so that a language model comes before it. */
  get isForAll(): boolean {
    return this.rule.path === '/*';
  }

  answer(call: CallPlace, request: IncomingMessage, response: ServerResponse): void {
    if (this.readsBody) {
      readBody(request, (body) => {
        this.answerTo(call, body, request, response);
      });
    } else {
      request.resume();
      this.answerTo(call, '', request, response);
    }
  }

  private answerTo(
    { atMs, destination, path }: CallPlace,
    body: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const { rule } = this;
    const number = (this.calls += 1);
    // Each is drawn for every call, so that one outcome moves no other.
    const latencyMs = this.latency();
    const key = (): string => `${request.method ?? ''} ${request.url ?? ''} ${body}`;
    const error = this.error({ atMs, number, key });
    if (rule.token !== null && request.headers.authorization !== `Bearer ${rule.token}`) {
      send(response, 401, { error: 'the bearer token is missing or wrong' });
      return;
    }
    const waitMs = this.bucket?.take(1, atMs) ?? 0;
    if (waitMs > 0) {
      tooMany(response, waitMs, { error: 'too many requests' });
      return;
    }
    later(latencyMs, () => {
      if (error?.kind === 'hang') return;
      if (error?.kind === 'reset') request.socket.resetAndDestroy();
      else if (error?.kind === 'status') refuse(response, error.status, error.retryAfterSeconds);
      else {
        const asked: TemplateInput = {
          ...{ path, header: request.headers, n: number, random: this.random },
          query: queryOf(destination.query),
          body: once(() => parsed(body)),
        };
        const made = this.makeBody(asked, destination.path);
        const type = made === null ? {} : { 'content-type': made.type };
        write(response, rule.status, made?.text ?? '', {
          ...type,
          ...this.headersOf(asked),
        });
      }
    });
  }
}

function refuse(response: ServerResponse, status: number, afterSeconds: number | null): void {
  const headers = afterSeconds === null ? {} : { 'retry-after': String(afterSeconds) };
  send(response, status, { error: `status ${String(status)} by a rule` }, headers);
}

function headerMaker(
  headers: Record<string, string>,
): (asked: TemplateInput) => Record<string, string> {
  const made = Object.entries(headers).map(([name, value]) => [name, compiled(value)] as const);
  if (!JSON.stringify(headers).includes('{{')) return () => headers;
  // No header has more than one line.
  return (asked) =>
    Object.fromEntries(
      made.map(([name, fill]) => [name, String(fill(asked)).replace(/[^\t\x20-\x7e]/g, '?')]),
    );
}

function bodyMaker(body: Body): BodyMaker {
  if (body.kind === 'none') return () => null;
  if (body.kind === 'text') {
    const fill = compiled(body.text);
    return (asked) => ({ type: 'text/plain; charset=utf-8', text: String(fill(asked)) });
  }
  if (body.kind === 'pages') return pageMaker(body);
  const written = JSON.stringify(body.value);
  if (!/\{\{|"\$(repeat|text)":/.test(written)) return () => ({ type: JSON_TYPE, text: written });
  const fill = compiled(body.value);
  return (asked) => ({ type: JSON_TYPE, text: JSON.stringify(fill(asked)) });
}

/** The page that `page` (from 1 on), or `cursor` (items so far), asks for, with what leads to the next. */
function pageMaker({ items, size, item, field }: Extract<Body, { kind: 'pages' }>): BodyMaker {
  const fill = compiled(item);
  return (asked, path) => {
    const { page = '1', cursor } = asked.query;
    const asksFrom = cursor === undefined ? (Number(page) - 1) * size : Number(cursor);
    const from = Number.isFinite(asksFrom) ? Math.max(0, asksFrom) : 0;
    const to = Math.min(items, from + size);
    const number = Math.floor(from / size) + 1;
    const hasNext = to < items;
    const list = Array.from({ length: Math.max(0, to - from) }, (_, index) =>
      fill(asked, from + index + 1),
    );
    const json = {
      ...{ [field]: list, page: number, pages: Math.ceil(items / size), total: items },
      ...{ nextPage: hasNext ? number + 1 : null, nextCursor: hasNext ? String(to) : null },
      next: hasNext ? `${path}?page=${String(number + 1)}` : null,
    };
    return { type: JSON_TYPE, text: JSON.stringify(json) };
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
