// What workflows have done outside n8n: each call of POST /effects/STEP?id=ID is one line of a file, written before it
// is answered, so that memory stays bounded and what was answered is there whoever dies next. GET /effects gives the
// file back: `STEP ID` a line, in the order of the calls.
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const STEPS = ['begun', 'done'];
/** Of k6's requests and of what asks whether n8n is ready; nothing else ends up in the file. */
const ID = /^[\w-]{1,120}$/;

/** Without `given` the file lies in a folder of its own, which goes when the service ends. */
export function countEffects(given) {
  const file = given ?? join(mkdtempSync(join(tmpdir(), 'n8n-tuned-effects-')), 'effects.log');
  const descriptor = openSync(file, 'a');
  return {
    /** The status and the JSON to answer with; null: the request is none of ours. */
    record: (method, { pathname, searchParams }) => {
      const step = pathname.startsWith('/effects/') ? pathname.slice('/effects/'.length) : null;
      if (step === null) return null;
      const id = searchParams.get('id') ?? '';
      if (!STEPS.includes(step)) return refusal(404, `a step is ${STEPS.join(' or ')}`);
      if (method !== 'POST') return refusal(405, 'an effect is POSTed');
      if (!ID.test(id)) return refusal(400, 'the id is letters, digits, _ and -, at most 120');
      writeSync(descriptor, `${step} ${id}\n`);
      return { status: 200, json: JSON.stringify({ step, id }) };
    },
    /** All so far. */
    read: () => createReadStream(file),
    end: () => {
      closeSync(descriptor);
      if (given === undefined) rmSync(dirname(file), { recursive: true, force: true });
    },
  };
}

const refusal = (status, error) => ({ status, json: JSON.stringify({ error }) });
