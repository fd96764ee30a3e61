import { yieldToOthers } from '../../shared/sleep';
import { documentInTurns, RecordPool, type RandomDocument } from '../pure/document';

/** Runs work that yields: wherever it does, others get their turn, and a cancelled execution ends. */
export async function inTurns<T>(
  work: Generator<undefined, T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await yieldToOthers(signal);
  }
}

const pool = new RecordPool(Math.random);
let documents = 0;

export interface WrittenDocument {
  document: RandomDocument;
  /** Its compact JSON, in parts. */
  json: string[];
}

/** A document that no other of this process is like. */
export async function freshDocument(
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<WrittenDocument> {
  documents += 1;
  const json: string[] = [];
  const work = documentInTurns(bytes, pool, documents, Math.random, (part) => json.push(part));
  return { document: await inTurns(work, signal), json };
}
