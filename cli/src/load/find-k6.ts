import { howToGetK6 } from '../lab/doctor';
import { findProgram, hasLab } from '../lab/paths';
import { Mistake } from '../ui/exit';

/** The k6 of the lab, or else the one on the PATH. */
export function findK6(): string {
  const found = findProgram('k6');
  if (found === null) {
    throw new Mistake(
      `k6 is not here: ${howToGetK6(hasLab())}; n8n-tuned doctor shows what else is missing.`,
    );
  }
  return found;
}

/** Elsewhere it comes in an image. */
export const k6For = (loadsFromHere: boolean): string => (loadsFromHere ? findK6() : '');
