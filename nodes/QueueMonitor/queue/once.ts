import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Cluster, Redis } from 'ioredis';
import type { IDataObject } from 'n8n-workflow';
import { Mistake } from '../../shared/mistake';
import { withRedis } from './connection';

/** A result lies in the memory of n8n's queue for days, so it is bounded. */
export const MAX_RESULT_KIB = 256;
const MAX_OWN_KEY = 512;
const KEY = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** What makes a piece of work the same again: its workflow, its node, and what the author or n8n knows it by. */
export function keyOf(work: readonly (string | number)[]): string {
  const hex = createHash('sha256').update(JSON.stringify(work)).digest('hex');
  // In the form of a UUID (version 8, its own content), as some receivers of an Idempotency-Key take nothing else.
  const variant = ((parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...parts, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

export function checkedOwnKey(value: unknown): string {
  const key = typeof value === 'number' ? String(value) : value;
  if (typeof key !== 'string' || key.trim() === '') {
    throw new Mistake("'Own Key' is empty: enter what this work is known by, such as an order ID");
  }
  if (key.length > MAX_OWN_KEY) {
    throw new Mistake(`'Own Key' has ${key.length} characters, but at most ${MAX_OWN_KEY} fit`);
  }
  return key;
}

export function checkedOnceKey(value: unknown): string {
  if (typeof value === 'string' && KEY.test(value)) return value;
  throw new Mistake("'Once Key' must be the field onceKey that Begin has added to the item");
}

/** The result as it is stored; refused where it is too large. */
export function resultOf(items: IDataObject[]): string {
  const json = JSON.stringify(items);
  const kib = Buffer.byteLength(json) / 1024;
  if (kib <= MAX_RESULT_KIB) return json;
  throw new Mistake(
    `The result has ${Math.ceil(kib)} KiB, but Once stores at most ${MAX_RESULT_KIB} KiB: store only what the next nodes need`,
  );
}

export type Begun =
  | { kind: 'first' }
  | { kind: 'done'; result: IDataObject[] }
  | { kind: 'held'; by: string; runIndex: number };

/** Who holds a claim: a job that Bull gives to another worker has the same execution, but another process. */
export interface Owner {
  executionId: string;
  runIndex: number;
}

const nameOf = ({ executionId, runIndex }: Owner): string =>
  [executionId, runIndex, hostname(), process.pid].join('/');

/** Claims each key that is free, for so long; a claim of the same run of the same process begins anew. */
export function begin(
  credential: Record<string, unknown>,
  keys: string[],
  { owner, leaseMs }: { owner: Owner; leaseMs: number },
): Promise<Begun[]> {
  return withRedis(credential, async (client, { prefix }) => {
    const begun: Begun[] = [];
    for (const key of keys) {
      begun.push(await claim(client, `${prefix}:once:${key}`, nameOf(owner), leaseMs));
    }
    return begun;
  });
}

async function claim(
  client: Redis | Cluster,
  key: string,
  owner: string,
  leaseMs: number,
): Promise<Begun> {
  const claimed = await client.set(`${key}:claim`, owner, 'PX', leaseMs, 'NX');
  // After the claim: who held it before may have stored the result just then.
  const result = await client.get(`${key}:result`);
  if (result !== null) return { kind: 'done', result: JSON.parse(result) as IDataObject[] };
  if (claimed !== null) return { kind: 'first' };
  const holder = await client.get(`${key}:claim`);
  if (holder !== owner) {
    const [by = 'another', runIndex] = (holder ?? 'another').split('/');
    return { kind: 'held', by, runIndex: Number(runIndex) };
  }
  await client.set(`${key}:claim`, owner, 'PX', leaseMs);
  return { kind: 'first' };
}

/** Stores each result that is the first of its key; gives the one that another execution has stored before. */
export function store(
  credential: Record<string, unknown>,
  results: { key: string; json: string }[],
  keepMs: number,
): Promise<(IDataObject[] | null)[]> {
  return withRedis(credential, async (client, { prefix }) => {
    const before: (IDataObject[] | null)[] = [];
    for (const { key, json } of results) {
      const name = `${prefix}:once:${key}:result`;
      const stored = await client.set(name, json, 'PX', keepMs, 'NX');
      const other = stored === null ? await client.get(name) : null;
      before.push(other === null ? null : (JSON.parse(other) as IDataObject[]));
    }
    return before;
  });
}
