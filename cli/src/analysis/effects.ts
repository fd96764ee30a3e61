/** How often the service outside n8n was called for a request: before its work, and after it. */
export interface Effects {
  begun: number;
  done: number;
}

/** One call of the service outside n8n (cli/src/stand-in/effects.ts), by a workflow. */
export interface Effect {
  id: string;
  step: keyof Effects;
  /** When, by the clock of that service, in milliseconds since 1970; older services wrote none. */
  atMs?: number;
}

/** From what that service has written: `STEP ID TIME` a line. */
export function readEffects(text: string): Effect[] {
  return text.split('\n').flatMap((line) => {
    const [, step, id, time] = /^(begun|done) ([\w-]+)(?: (\d+))?$/.exec(line) ?? [];
    if (step === undefined || id === undefined) return [];
    const atMs = time === undefined ? {} : { atMs: Number(time) };
    return [{ id, step: step as Effect['step'], ...atMs }];
  });
}

/**
 * Whether the work of one request ran twice at the same time, by its calls in the order in which they came. Null: one that had
 * begun before may have come to an end without a word, as with its worker, or may not.
 */
export function ranAtOnce(steps: readonly Effect['step'][]): boolean | null {
  let [begun, done] = [0, 0];
  const all = steps.filter((step) => step === 'done').length;
  let isUnknown = false;
  for (const [index, step] of steps.entries()) {
    if (step === 'done') {
      done += 1;
      continue;
    }
    if (begun > done) {
      const later = steps.slice(index).filter((one) => one === 'begun').length;
      // More come to their end than begin from now on: one of those that had begun is among them.
      if (all - done > later) return true;
      isUnknown = true;
    }
    begun += 1;
  }
  return isUnknown ? null : false;
}
