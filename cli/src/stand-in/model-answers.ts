/** What answers as a language model. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { seededRandom, seedOf, type Random } from '../../../loadtests/lib/random';
import { Bucket } from './analysis/errors';
import { latencies } from './analysis/latency';
import { atOnce, isAtOnce, modelApi, tooManyTokens, type ModelApi } from './analysis/model/apis';
import { turnOf, type Stream } from './analysis/model/turn';
import type { Model } from './plan';
import { later, parsed, readBody, send, tooMany } from './respond';

export class ModelAnswers {
  private readonly firstToken: () => number;
  private readonly betweenTokens: () => number;
  private readonly tokens: Bucket | null;
  private turns = 0;

  constructor(
    private readonly model: Model,
    seed: number,
    private readonly random: Random,
  ) {
    const { tokensPerMinute: calls, firstToken, betweenTokens } = model;
    this.firstToken = latencies(firstToken, seededRandom(seedOf(seed, 0)));
    this.betweenTokens = latencies(betweenTokens, seededRandom(seedOf(seed, 1)));
    this.tokens = calls === null ? null : new Bucket({ calls, perMs: 60_000 });
  }

  /** Whether it asks for something that a language model answers. `atMs` is since the server began. */
  answer(path: string, atMs: number, request: IncomingMessage, response: ServerResponse): boolean {
    const method = request.method ?? 'GET';
    if (isAtOnce(method, path)) {
      readBody(request, (text) => {
        const { dimensions } = this.model;
        send(response, 200, atOnce(path, { body: parsed(text), random: this.random, dimensions }));
      });
      return true;
    }
    const api = modelApi(method, path);
    if (api === null) return false;
    readBody(request, (text) => {
      const body = parsed(text);
      if (typeof body === 'object' && body !== null) this.turn(api, body, atMs, response);
      else {
        const error = { message: 'the body is not JSON', type: 'invalid_request_error' };
        send(response, 400, { error });
      }
    });
    return true;
  }

  private turn(api: ModelApi, body: object, atMs: number, response: ServerResponse): void {
    const { model } = this;
    this.turns += 1;
    const prompt = api.promptOf(body);
    const turn = turnOf(prompt, model, this.turns);
    const isCut = this.random() < model.cutShare;
    const waitMs = this.tokens?.take(turn.promptTokens + turn.answerTokens, atMs) ?? 0;
    if (waitMs > 0) {
      tooMany(response, waitMs, tooManyTokens());
      return;
    }
    const id = `req_${String(turn.number)}`;
    const headers = { 'x-request-id': id, 'request-id': id };
    const created = Math.floor(Date.now() / 1000);
    if (!prompt.streams) {
      const gaps = Array.from({ length: turn.answerTokens }, this.betweenTokens);
      const takesMs = gaps.reduce((sum, gap) => sum + gap, this.firstToken());
      later(takesMs, () => {
        send(response, 200, api.whole(turn, created), headers);
      });
      return;
    }
    const type = {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    };
    response.writeHead(200, { ...type, ...headers });
    response.flushHeaders();
    const stream = api.stream(turn, created, body);
    const cutAt = isCut ? Math.ceil(stream.pieces.length / 2) : null;
    later(this.firstToken(), () => {
      response.write(stream.opening);
      this.sendPieces(response, stream, 0, cutAt);
    });
  }

  private sendPieces(
    response: ServerResponse,
    stream: Stream,
    index: number,
    cutAt: number | null,
  ): void {
    if (response.destroyed) return;
    const piece = stream.pieces[index];
    if (index === cutAt) response.destroy();
    else if (piece === undefined) response.end(stream.closing);
    else {
      response.write(piece);
      const gapMs = this.betweenTokens();
      // Always by a timer: thousands of tokens at once would block every other call.
      setTimeout(() => {
        this.sendPieces(response, stream, index + 1, cutAt);
      }, gapMs);
    }
  }
}
