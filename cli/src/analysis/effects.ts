/** How often the service outside n8n was called for a request: before its work, and after it. */
export interface Effects {
  begun: number;
  done: number;
}

/** One call of the service outside n8n (cli/src/stand-in/effects.ts), by a workflow. */
export interface Effect {
  id: string;
  step: keyof Effects;
}

/** From what that service has written: `STEP ID` a line. */
export function readEffects(text: string): Effect[] {
  return text.split('\n').flatMap((line) => {
    const [, step, id] = /^(begun|done) ([\w-]+)$/.exec(line) ?? [];
    return step === undefined || id === undefined ? [] : [{ id, step: step as Effect['step'] }];
  });
}
