import fc from 'fast-check';
import { addressOf } from '../../../cli/src/prometheus/address';
import { STALE, type TimeSeries } from '../../../cli/src/prometheus/series';
import { writeRequest } from '../../../cli/src/prometheus/remote-write';

/** Reads what a receiver reads: https://protobuf.dev/programming-guides/encoding/ and snappy's format description. */
class Reader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at++] ?? NaN;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  }

  take(length: number): Buffer {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  field(): [number: number, type: number] {
    const tag = this.varint();
    return [tag >> 3, tag & 7];
  }
}

function uncompressed(block: Uint8Array): Buffer {
  const reader = new Reader(Buffer.from(block));
  const length = reader.varint();
  const pieces: Buffer[] = [];
  while (!reader.isAtEnd) {
    const [tag] = reader.take(1);
    expect(tag).toBe(244);
    pieces.push(reader.take(reader.take(2).readUInt16LE() + 1));
  }
  const whole = Buffer.concat(pieces);
  expect(whole.length).toBe(length);
  return whole;
}

const STALE_BITS = '7ff0000000000002';

function decoded(block: Uint8Array): TimeSeries[] {
  const reader = new Reader(uncompressed(block));
  const all: TimeSeries[] = [];
  while (!reader.isAtEnd) {
    expect(reader.field()).toEqual([1, 2]);
    all.push(seriesIn(new Reader(reader.take(reader.varint()))));
  }
  return all;
}

function seriesIn(reader: Reader): TimeSeries {
  const labels: [string, string][] = [];
  const samples: TimeSeries['samples'] = [];
  while (!reader.isAtEnd) {
    const [field] = reader.field();
    const inner = new Reader(reader.take(reader.varint()));
    if (field === 1) {
      const [name = '', value = ''] = [1, 2].map((number) => {
        expect(inner.field()).toEqual([number, 2]);
        return inner.take(inner.varint()).toString();
      });
      labels.push([name, value]);
    } else {
      expect(inner.field()).toEqual([1, 1]);
      const double = inner.take(8);
      expect(inner.field()).toEqual([2, 0]);
      const isStale = double.readBigUInt64LE().toString(16) === STALE_BITS;
      samples.push({ atMs: inner.varint(), value: isStale ? STALE : double.readDoubleLE() });
    }
    expect(inner.isAtEnd).toBe(true);
  }
  // Receivers refuse labels in another order.
  expect(labels.map(([name]) => name)).toEqual(labels.map(([name]) => name).sort());
  return { labels: Object.fromEntries(labels), samples };
}

const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,9}$/);
const series: fc.Arbitrary<TimeSeries> = fc.record({
  labels: fc.dictionary(name, fc.string({ minLength: 1, unit: 'grapheme' }), {
    noNullPrototype: true,
  }),
  samples: fc.array(
    fc.record({
      atMs: fc.nat({ max: 4_102_444_800_000 }),
      value: fc.oneof(fc.double({ noNaN: true }), fc.constant(STALE)),
    }),
  ),
});

test('a remote write sends every label, time and value, also in blocks longer than a literal may be', () => {
  fc.assert(
    fc.property(fc.array(series), fc.nat({ max: 3 }), (all, long) => {
      const given = [
        ...all,
        { labels: { text: 'x'.repeat(long * 65_536) || '-' }, samples: [{ atMs: 1, value: 2 }] },
      ];
      expect(decoded(writeRequest(given))).toEqual(given);
    }),
  );
});

test('a remote write leaves out a label without a value, which is the same as none', () => {
  const sent = writeRequest([{ labels: { a: '', b: 'c' }, samples: [] }]);
  expect(decoded(sent)).toEqual([{ labels: { b: 'c' }, samples: [] }]);
});

test('a remote write can say nothing', () => {
  expect(decoded(writeRequest([]))).toEqual([]);
});

test.each([
  ['100%25', 'ada:100%'],
  ['100%', 'ada:100%'],
])('the password %s in an address is sent as it is meant', (password, sent) => {
  const { url, headers } = addressOf(`http://ada:${password}@127.0.0.1:9090`, {
    ...{ flag: '--prometheus', example: 'http://127.0.0.1:9090', tokenVariable: 'NO_TOKEN' },
  });
  expect(url).toBe('http://127.0.0.1:9090');
  expect(headers).toEqual({ authorization: `Basic ${Buffer.from(sent).toString('base64')}` });
});
