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

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Room for a filler of every length below one more record. */
const EMPTY_BYTES = JSON.stringify({ kind: 'random-document', records: [], filler: '' }).length;

export const SMALLEST_DOCUMENT_BYTES = EMPTY_BYTES;

/** A fresh document whose compact JSON is exactly `bytes` long (never below the smallest). */
export function randomDocument(bytes: number, random: Random): RandomDocument {
  const records: DocumentRecord[] = [];
  let used = EMPTY_BYTES;
  for (;;) {
    const record = randomRecord(records.length, random);
    // Every character is ASCII, so characters are bytes; a comma parts two records.
    const size = JSON.stringify(record).length + (records.length === 0 ? 0 : 1);
    if (used + size > bytes) break;
    records.push(record);
    used += size;
  }
  return {
    kind: 'random-document',
    records,
    filler: randomText(Math.max(0, bytes - used), random),
  };
}

function randomRecord(id: number, random: Random): DocumentRecord {
  return {
    id,
    name: randomText(12, random),
    score: Math.floor(random() * 1_000_000),
    active: random() < 0.5,
    tags: [randomText(6, random), randomText(6, random), randomText(6, random)],
  };
}

export function randomText(length: number, random: Random): string {
  const codes = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i += 1) {
    codes[i] = LETTERS.charCodeAt(Math.floor(random() * LETTERS.length));
  }
  return codes.toString('latin1');
}
