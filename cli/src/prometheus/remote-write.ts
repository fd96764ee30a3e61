import { Mistake } from '../ui/exit';
import { addressOf, ask, firstLine, NoAnswer, type Address } from './address';
import { STALE, type TimeSeries, type Labels, type SampleValue } from './series';

/**
 * What remote write sends: a protobuf message of two levels in a block of snappy. Sixty lines that a real
 * Prometheus checks in our tests, instead of a protobuf library, its schema and a native compressor.
 * https://prometheus.io/docs/specs/prw/remote_write_spec/
 */

/** The body of a write request. Labels are sorted by name, samples are in the order of their times. */
export function writeRequest(series: readonly TimeSeries[]): Uint8Array<ArrayBuffer> {
  return snappyBlock(Buffer.concat(series.map((one) => message(1, timeSeries(one)))));
}

function timeSeries({ labels, samples }: TimeSeries): Uint8Array {
  return Buffer.concat([
    ...sortedLabels(labels).map(([name, value]) =>
      message(1, Buffer.concat([message(1, Buffer.from(name)), message(2, Buffer.from(value))])),
    ),
    ...samples.map(({ atMs, value }) => message(2, sample(atMs, value))),
  ]);
}

/** An empty value would be the same as no label, and is refused by some receivers. */
const sortedLabels = (labels: Labels): [string, string][] =>
  Object.entries(labels)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));

const STALE_BITS = 0x7ff0_0000_0000_0002n;

function sample(atMs: number, value: SampleValue): Uint8Array {
  const double = Buffer.alloc(9);
  double[0] = tag(1, FIXED64);
  if (value === STALE) double.writeBigUInt64LE(STALE_BITS, 1);
  else double.writeDoubleLE(value, 1);
  return Buffer.concat([double, Buffer.from([tag(2, VARINT)]), varint(Math.round(atMs))]);
}

const [VARINT, FIXED64, DELIMITED] = [0, 1, 2];

const tag = (field: number, type: number): number => (field << 3) | type;

const message = (field: number, content: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from([tag(field, DELIMITED)]), varint(content.length), content]);

/** Seven bits a byte, the lowest first; of numbers that are not negative. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}

/** Longest literal with a length of two bytes. */
const PIECE = 65_536;

/** Snappy allows a block of literals alone: a few kilobytes every five seconds need no compression. */
function snappyBlock(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [varint(content.length)];
  for (let from = 0; from < content.length; from += PIECE) {
    const piece = content.subarray(from, from + PIECE);
    const last = piece.length - 1;
    parts.push(Buffer.from([61 << 2, last & 255, last >> 8]), piece);
  }
  return Buffer.concat(parts);
}

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
    const what = `${this.url} responded with status ${String(status)}`;
    if (status >= 500 || status === 429) throw new NoAnswer(`${what} (${firstLine(text)})`);
    throw new Refused(`${what}${adviceOn(status, text)}`);
  }
}

function adviceOn(status: number, text: string): string {
  if (status === 401 || status === 403) {
    return `: use http://user:password@..., or a token in ${TOKEN}`;
  }
  if (status === 404 || status === 405) {
    return ': Prometheus accepts writes at /api/v1/write, and only if it was started with --web.enable-remote-write-receiver';
  }
  return `: ${firstLine(text)}`;
}
