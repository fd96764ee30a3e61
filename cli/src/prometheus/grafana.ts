import { Mistake } from '../ui/exit';
import { addressOf, ask, firstLine, NoAnswer, type Address } from './address';

export const GRAFANA_FLAG = '--grafana';
const TOKEN = 'GRAFANA_TOKEN';

/** A moment, or with `toMs` a stretch of time, that a dashboard marks. */
export interface Annotation {
  fromMs: number;
  toMs?: number;
  text: string;
  tags: readonly string[];
}

/** Annotations of a Grafana, by its HTTP API: https://grafana.com/docs/grafana/latest/developers/http_api/annotations/ */
export class Grafana {
  private constructor(private readonly address: Address) {}

  static at(text: string): Grafana {
    return new Grafana(
      addressOf(text, {
        flag: GRAFANA_FLAG,
        example: 'http://127.0.0.1:3000',
        tokenVariable: TOKEN,
      }),
    );
  }

  /** Whether annotations may be read there: who may not read them may not write them either. */
  async check(): Promise<void> {
    const told = await this.call('GET', '/api/annotations?limit=1').catch((error: unknown) => {
      if (error instanceof NoAnswer) return error.message;
      throw error;
    });
    if (told !== null) throw new Mistake(`${GRAFANA_FLAG}: ${told}.`);
  }

  async annotate({ fromMs, toMs, text, tags }: Annotation): Promise<void> {
    const told = await this.call('POST', '/api/annotations', {
      time: Math.round(fromMs),
      ...(toMs === undefined ? {} : { timeEnd: Math.round(toMs) }),
      text,
      tags,
    });
    if (told !== null) throw new NoAnswer(told);
  }

  /** Null when all is well; else what it answered, with what to do. */
  private async call(method: string, path: string, body?: unknown): Promise<string | null> {
    const { status, text } = await ask(this.address, path, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (status === 200) return null;
    const what = `${this.address.url} responded with status ${String(status)}`;
    return status === 401 || status === 403
      ? `${what}: set ${TOKEN} to the token of a service account that may write annotations`
      : `${what} (${firstLine(text)}): check that this is the address of Grafana`;
  }
}
