/**
 * What workflows have done outside n8n. Each call of POST /effects/STEP?id=ID is one line of a file. The line is written
 * before the response, so that no answered call is lost if this process dies, and memory stays bounded. GET /effects
 * returns the file: a line `STEP ID TIME` for each call, in order.
 */
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

const STEPS = ['begun', 'done'];
/** Ids of k6's requests and of what asks whether n8n is ready; nothing else ends up in the file. */
const ID = /^[\w-]{1,120}$/;
const PREFIX = '/effects/';

export interface EffectAnswer {
  status: number;
  json: unknown;
}

/** Without `given` the file lies in a folder of its own, which goes when the service ends. */
export class EffectsLog {
  private readonly file: string;
  private readonly descriptor: number;

  constructor(private readonly given?: string) {
    this.file = given ?? join(mkdtempSync(join(tmpdir(), 'n8n-tuned-effects-')), 'effects.log');
    this.descriptor = openSync(this.file, 'a');
  }

  /** Null: the request is none of an effect. */
  record(method: string, path: string, query: Record<string, string>): EffectAnswer | null {
    if (!path.startsWith(PREFIX)) return null;
    const step = path.slice(PREFIX.length);
    const id = query['id'] ?? '';
    if (!STEPS.includes(step)) return refusal(404, `the step must be ${STEPS.join(' or ')}`);
    if (method !== 'POST') return refusal(405, 'an effect requires the method POST');
    if (!ID.test(id))
      return refusal(400, 'the id must consist of at most 120 letters, digits, _ and -');
    writeSync(this.descriptor, `${step} ${id} ${String(Date.now())}\n`);
    return { status: 200, json: { step, id } };
  }

  /** All so far. */
  read(): Readable {
    return createReadStream(this.file);
  }

  end(): void {
    closeSync(this.descriptor);
    if (this.given === undefined) rmSync(dirname(this.file), { recursive: true, force: true });
  }
}

const refusal = (status: number, error: string): EffectAnswer => ({ status, json: { error } });
