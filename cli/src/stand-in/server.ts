/** An HTTP(S) server that answers in the place of the services outside n8n, as a plan says. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { seededRandom, seedOf } from '../../../loadtests/lib/random';
import { Counts, type StandInReport } from './analysis/counts';
import { Bucket } from './analysis/errors';
import { longestMs } from './analysis/latency';
import {
  destinationOf,
  matcherOf,
  queryOf,
  type Destination,
  type Matcher,
} from './analysis/match';
import { EffectsLog } from './effects';
import { ModelAnswers } from './model-answers';
import type { StandInPlan, ServiceTrouble } from './plan';
import { later, parsed, readBody, send, tooMany } from './respond';
import { RuleAnswers } from './rule-answers';

export interface StandInOptions {
  plan: StandInPlan;
  host: string;
  /** 0: a free one. */
  port: number;
  effectsFile?: string;
  /** PEM texts. */
  tls?: { cert: string; key: string };
}

export interface StandIn {
  url: string;
  report(): StandInReport;
  /** Open calls have a moment to end. */
  end(): Promise<void>;
}

/** Rejects where it cannot listen, and leaves nothing behind then. */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const answering = new Answering(options.plan, options.effectsFile);
  let server: Server;
  try {
    server = await listening(options, (request, response) => {
      answering.answer(request, response);
    });
  } catch (error) {
    answering.end();
    throw error;
  }
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${options.host}:${String(bound)}`,
    report: () => answering.report(),
    end: async () => {
      await closed(server, Math.min(5_000, 500 + 2 * answering.longestMs));
      answering.end();
    },
  };
}

async function listening(
  { host, port, tls }: StandInOptions,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

function closed(server: Server, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, withinMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** What concerns the measurement is for who measures, and not for a network that reaches the services. */
export const isFromHere = ({
  remoteAddress = '',
  localAddress = '',
}: Pick<Socket, 'remoteAddress' | 'localAddress'>): boolean =>
  remoteAddress === localAddress || /^(::ffff:)?127\.|^::1$/.test(remoteAddress);

class Answering {
  private readonly began = performance.now();
  private readonly cpuBefore = process.cpuUsage();
  private readonly counts = new Counts();
  private readonly effects: EffectsLog;
  private readonly match: Matcher;
  private readonly rules: RuleAnswers[];
  private readonly models: ModelAnswers;
  private trouble: ServiceTrouble = {};
  private throttle: Bucket | null = null;
  private readonly hanging = new Set<ServerResponse>();
  private requests = 0;
  private unmatched = 0;
  readonly longestMs: number;

  constructor({ rules, seed, model }: StandInPlan, effectsFile: string | undefined) {
    const random = seededRandom(seed);
    this.effects = new EffectsLog(effectsFile);
    this.match = matcherOf(rules);
    this.rules = rules.map((rule, index) => new RuleAnswers(rule, seedOf(seed, index + 1), random));
    this.models = new ModelAnswers(model, seedOf(seed, 0), random);
    this.longestMs = Math.max(0, ...rules.map(({ latency }) => longestMs(latency)));
  }

  report(): StandInReport {
    const seconds = this.nowMs() / 1000;
    const { user, system } = process.cpuUsage(this.cpuBefore);
    return {
      ...{ seconds, requests: this.requests, requestsPerSecond: this.requests / seconds },
      ...{ cpuCores: (user + system) / 1e6 / seconds, unmatched: this.unmatched },
      hosts: this.counts.list(),
    };
  }

  end(): void {
    this.effects.end();
  }

  private nowMs(): number {
    return performance.now() - this.began;
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const method = request.method ?? 'GET';
    const destination = destinationOf(request.url ?? '/', request.headers.host ?? '');
    if (this.ofItself(method, destination.path, request, response)) return;
    const atMs = this.nowMs();
    this.requests += 1;
    this.counts.called(destination.host, atMs);
    response.once('close', () => {
      if (!response.writableFinished || response.statusCode >= 400) {
        this.counts.failed(destination.host);
      }
    });
    const { status, addedMs = 0, hangs = false } = this.trouble;
    if (hangs) {
      this.hanging.add(response);
      response.once('close', () => void this.hanging.delete(response));
      request.resume();
      return;
    }
    const waitMs = this.throttle?.take(1, atMs) ?? 0;
    if (waitMs > 0) tooMany(response, waitMs, { error: 'too many requests' });
    else if (status !== undefined) send(response, status, { error: 'the service is in trouble' });
    else {
      later(addedMs, () => {
        this.service(destination, atMs, request, response);
      });
      return;
    }
    request.resume();
  }

  private service(
    destination: Destination,
    atMs: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const method = request.method ?? 'GET';
    const { host, path, query } = destination;
    const effect = this.effects.record(method, path, queryOf(query));
    if (effect !== null) {
      request.resume();
      send(response, effect.status, effect.json);
      return;
    }
    const found = this.match(method, destination);
    const rule = found === null ? undefined : this.rules[found.index];
    const comesFirst = rule === undefined || rule.isForAll;
    if (comesFirst && this.models.answer(path, atMs, request, response)) return;
    if (found === null || rule === undefined) {
      this.unmatched += 1;
      request.resume();
      const error = `the stand-in has no rule for ${method} ${path} of ${host}`;
      send(response, 404, { error });
      return;
    }
    rule.answer({ atMs, destination, path: found.path }, request, response);
  }

  /** Whether the request is one about the stand-in: its health, its report, what it has counted, and trouble. */
  private ofItself(
    method: string,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean {
    const isOfMeasurement = path === '/effects' || path === '/stand-in/trouble';
    if (isOfMeasurement && !isFromHere(request.socket)) {
      request.resume();
      send(response, 403, { error: `only the machine of the stand-in may request ${path}` });
      return true;
    }
    if (path === '/stand-in/trouble' && method === 'PUT') {
      readBody(request, (text) => {
        this.trouble = (parsed(text) ?? {}) as ServiceTrouble;
        const { perSecond: calls, hangs = false } = this.trouble;
        if (!hangs) for (const response of this.hanging) response.destroy();
        this.throttle = calls === undefined ? null : new Bucket({ calls, perMs: 1000 });
        send(response, 200, this.trouble);
      });
      return true;
    }
    if (path === '/healthz') send(response, 200, { status: 'ok' });
    else if (path === '/stand-in/report') send(response, 200, this.report());
    else if (path === '/effects') {
      response.writeHead(200, { 'content-type': 'text/plain' });
      this.effects.read().pipe(response);
    } else return false;
    request.resume();
    return true;
  }
}
