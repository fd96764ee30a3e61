/** A figure of each of many requests as short text: bytes, deflated, in base64. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Latencies are kept to half a percent: no estimate is as exact. */
const STEP = 0.01;
const MIN_MS = 0.1;
const NONE = 0;
const MAX_CODE = 0xffff;

const codeOf = (ms: number): number =>
  Number.isNaN(ms)
    ? NONE
    : Math.min(MAX_CODE, 1 + Math.round(Math.log(Math.max(ms, MIN_MS) / MIN_MS) / STEP));

const latencyOf = (code: number): number =>
  code === NONE ? NaN : MIN_MS * Math.exp((code - 1) * STEP);

/** NaN: none is known. The low bytes come before the high ones, which are nearly all alike and take no space. */
export function packLatencies(latenciesMs: ArrayLike<number>): string {
  const count = latenciesMs.length;
  const bytes = Buffer.alloc(2 * count);
  for (let i = 0; i < count; i += 1) {
    const code = codeOf(latenciesMs[i] ?? NaN);
    bytes[i] = code & 0xff;
    bytes[count + i] = code >>> 8;
  }
  return packed(bytes);
}

export function unpackLatencies(text: string): Float64Array {
  const bytes = unpacked(text);
  const count = bytes.length >>> 1;
  return Float64Array.from({ length: count }, (_, i) =>
    latencyOf((bytes[i] ?? 0) | ((bytes[count + i] ?? 0) << 8)),
  );
}

/** Times are kept to a tenth of a millisecond. */
const TICK_MS = 0.1;

/** In order, the first at 0 or later: what is kept is the gap to the one before, in seven bits a byte. */
export function packTimes(timesMs: ArrayLike<number>): string {
  const bytes: number[] = [];
  let before = 0;
  for (let i = 0; i < timesMs.length; i += 1) {
    const at = Math.round((timesMs[i] ?? 0) / TICK_MS);
    let gap = at - before;
    before = at;
    for (; gap >= 0x80; gap = Math.floor(gap / 0x80)) bytes.push((gap % 0x80) | 0x80);
    bytes.push(gap);
  }
  return packed(Buffer.from(bytes));
}

export function unpackTimes(text: string): Float64Array {
  const times: number[] = [];
  let at = 0;
  let gap = 0;
  let weight = 1;
  for (const byte of unpacked(text)) {
    gap += (byte & 0x7f) * weight;
    weight *= 0x80;
    if (byte >= 0x80) continue;
    at += gap;
    times.push(at * TICK_MS);
    gap = 0;
    weight = 1;
  }
  return Float64Array.from(times);
}

const packed = (bytes: Buffer): string => deflateRawSync(bytes, { level: 9 }).toString('base64');
const unpacked = (text: string): Buffer => inflateRawSync(Buffer.from(text, 'base64'));
