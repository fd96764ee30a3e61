import { Mistake } from '../ui/exit';
import { addressOf, ask, firstLine, NoAnswer, type Address } from './address';
import type { TimeSeries } from './series';
import { writeRequest } from './wire';

export const REMOTE_WRITE_FLAG = '--prometheus-remote-write';
const TOKEN = 'PROMETHEUS_TOKEN';

/** It will not take this, however often it is written. */
export class Refused extends Error {}

/** Writes series to a Prometheus, or to whatever else takes its remote write. */
export class RemoteWrite {
  private constructor(private readonly address: Address) {}

  static at(text: string): RemoteWrite {
    return new RemoteWrite(
      addressOf(text, {
        flag: REMOTE_WRITE_FLAG,
        example: 'http://127.0.0.1:9090/api/v1/write',
        tokenVariable: TOKEN,
      }),
    );
  }

  get url(): string {
    return this.address.url;
  }

  /** Whether it takes anything: asked before there is something to lose. */
  async check(): Promise<void> {
    try {
      await this.write([]);
    } catch (error) {
      if (!(error instanceof NoAnswer || error instanceof Refused)) throw error;
      throw new Mistake(`${REMOTE_WRITE_FLAG}: ${error.message}.`);
    }
  }

  /** Rejects with Refused where it is of no use to write the same again, else with NoAnswer. */
  async write(series: readonly TimeSeries[]): Promise<void> {
    const { status, text } = await ask(this.address, '', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-protobuf',
        'content-encoding': 'snappy',
        'user-agent': 'n8n-tuned',
        'x-prometheus-remote-write-version': '0.1.0',
      },
      body: writeRequest(series),
    });
    if (status >= 200 && status < 300) return;
    const what = `${this.url} answered status ${String(status)}`;
    if (status >= 500 || status === 429) throw new NoAnswer(`${what} (${firstLine(text)})`);
    throw new Refused(`${what}${adviceOn(status, text)}`);
  }
}

function adviceOn(status: number, text: string): string {
  if (status === 401 || status === 403) {
    return `: give it a user as http://user:password@..., or a token in ${TOKEN}`;
  }
  if (status === 404 || status === 405) {
    return ': Prometheus takes writes at /api/v1/write, and only if it was started with --web.enable-remote-write-receiver';
  }
  return `: ${firstLine(text)}`;
}
