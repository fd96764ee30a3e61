import type { Random } from './distribution';

/** One record of a random document. */
export interface DocumentRecord {
  id: number;
  name: string;
  score: number;
  active: boolean;
  tags: string[];
}

export interface RandomDocument {
  kind: 'random-document';
  records: DocumentRecord[];
  /** Brings the document to its exact size. */
  filler: string;
}

/** So much is made before others get their turn on the event loop: some milliseconds of work. */
export const TURN_BYTES = 256 * 1024;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const HEAD = '{"kind":"random-document","records":[';
const BEFORE_FILLER = '],"filler":"';
const TAIL = '"}';
/** Room for a filler of every length below one more record. */
export const SMALLEST_DOCUMENT_BYTES = HEAD.length + BEFORE_FILLER.length + TAIL.length;

/** What records are made of; each record gets its own number. */
interface Pooled {
  body: Omit<DocumentRecord, 'id'>;
  /** The size of the record as compact JSON, without the digits of its number. */
  bytes: number;
}

/** Texts are drawn once and used again, so that a document costs what its JSON costs, and not what its letters cost. */
export class RecordPool {
  private readonly pooled: Pooled[] = [];
  private pooledBytes = 0;

  constructor(
    private readonly random: Random,
    private readonly maxBytes = 4 * 1024 * 1024,
  ) {}

  /** Until a document of `bytes` can have different records throughout, or the pool is full. */
  *growFor(bytes: number): Generator<undefined, void> {
    let turn = 0;
    while (this.pooled.length === 0 || this.pooledBytes < Math.min(bytes, this.maxBytes)) {
      const body = randomBody(this.random);
      const size = JSON.stringify({ id: 0, ...body }).length - 1;
      this.pooled.push({ body, bytes: size });
      this.pooledBytes += size;
      turn += size;
      if (turn < TURN_BYTES) continue;
      turn = 0;
      yield;
    }
  }

  at(index: number): Pooled {
    return this.pooled[index % this.pooled.length] as Pooled;
  }
}

/**
 * A fresh document whose compact JSON is exactly `bytes` long (never below the smallest); `write` gets this JSON in parts.
 * Others can have their turn wherever it yields. Documents with different numbers have different records.
 */
export function* documentInTurns(
  bytes: number,
  pool: RecordPool,
  number: number,
  random: Random,
  write: (json: string) => void,
): Generator<undefined, RandomDocument> {
  yield* pool.growFor(bytes);
  const records: DocumentRecord[] = [];
  let used = SMALLEST_DOCUMENT_BYTES;
  let turn: DocumentRecord[] = [];
  let turnBytes = 0;
  const flush = (): void => {
    const comma = records.length > turn.length && turn.length > 0 ? ',' : '';
    write(comma + JSON.stringify(turn).slice(1, -1));
    turn = [];
    turnBytes = 0;
  };
  write(HEAD);
  for (;;) {
    const id = records.length;
    const { body, bytes: bodyBytes } = pool.at(number + id);
    // Every character is ASCII, so characters are bytes; a comma parts two records.
    const size = bodyBytes + String(id).length + (id === 0 ? 0 : 1);
    if (used + size > bytes) break;
    if (turnBytes + size > TURN_BYTES) {
      flush();
      yield;
    }
    // No part is shared with another document: a later node may change it.
    const record = { id, ...body, tags: [...body.tags] };
    records.push(record);
    turn.push(record);
    used += size;
    turnBytes += size;
  }
  flush();
  const filler = randomText(Math.max(0, bytes - used), random);
  write(`${BEFORE_FILLER}${filler}${TAIL}`);
  return { kind: 'random-document', records, filler };
}

/** Parses such a document; others can have their turn wherever it yields. */
export function* parseInTurns(json: string): Generator<undefined, RandomDocument> {
  if (json.length <= TURN_BYTES) return JSON.parse(json) as RandomDocument;
  const end = json.lastIndexOf(BEFORE_FILLER);
  const records: DocumentRecord[] = [];
  for (let from = HEAD.length; from < end;) {
    const last = from + TURN_BYTES < end ? json.lastIndexOf('},{', from + TURN_BYTES) : end - 1;
    const to = (last < from ? json.indexOf('},{', from + TURN_BYTES) : last) + 1;
    records.push(...(JSON.parse(`[${json.slice(from, to)}]`) as DocumentRecord[]));
    from = to + 1;
    yield;
  }
  const filler = json.slice(end + BEFORE_FILLER.length, -TAIL.length);
  return { kind: 'random-document', records, filler };
}

function randomBody(random: Random): Pooled['body'] {
  return {
    name: randomText(12, random),
    score: Math.floor(random() * 1_000_000),
    active: random() < 0.5,
    tags: [randomText(6, random), randomText(6, random), randomText(6, random)],
  };
}

/** `count` texts of `bytes` each, cut out of `letters`; others can have their turn wherever it yields. */
export function* textsInTurns(
  count: number,
  bytes: number,
  letters: Buffer,
  random: Random,
): Generator<undefined, string[]> {
  const texts: string[] = [];
  let turn = 0;
  for (let index = 0; index < count; index += 1) {
    if (turn + bytes > TURN_BYTES && turn > 0) {
      turn = 0;
      yield;
    }
    texts.push(textFrom(letters, Math.floor(random() * letters.length), bytes));
    // An item of no length takes its time too.
    turn += bytes + 100;
  }
  return texts;
}

/** From the place on, and from the beginning again as often as it takes. */
function textFrom(letters: Buffer, from: number, bytes: number): string {
  if (from + bytes <= letters.length) return letters.toString('latin1', from, from + bytes);
  const text = Buffer.allocUnsafe(bytes);
  let done = letters.copy(text, 0, from);
  while (done < bytes) done += letters.copy(text, done);
  return text.toString('latin1');
}

export function randomText(length: number, random: Random): string {
  const codes = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i += 1) {
    codes[i] = LETTERS.charCodeAt(Math.floor(random() * LETTERS.length));
  }
  return codes.toString('latin1');
}
