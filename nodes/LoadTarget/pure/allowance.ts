import { checkedBoolean, checkedNumber } from '../../shared/bounds';
import { Mistake } from '../../shared/mistake';

/** What the administrator of an n8n lets this node do, by variables of its environment. */
export interface Allowance {
  /** Whether May Crash, May Freeze and Leak may be used. */
  dangerous: boolean;
  /** The most memory, or space on the disk, that one item may ask for; Infinity: only the parameters' own bounds. */
  maxMiB: number;
  /** The longest time that one item may ask for. */
  maxMs: number;
}

type Environment = Record<string, string | undefined>;

export function allowanceOf(env: Environment): Allowance {
  const dangerous = env['LOAD_TARGET_DANGEROUS'] ?? '';
  return {
    dangerous: dangerous !== '' && checkedBoolean(dangerous, 'LOAD_TARGET_DANGEROUS'),
    maxMiB: cap(env, 'LOAD_TARGET_MAX_MIB'),
    maxMs: cap(env, 'LOAD_TARGET_MAX_MS'),
  };
}

function cap(env: Environment, name: string): number {
  const text = env[name] ?? '';
  return text === '' ? Infinity : checkedNumber(text, { title: name, min: 0, max: 1e12 });
}

export function requireDangerous({ dangerous }: Allowance, what: string): void {
  if (dangerous) return;
  throw new Mistake(
    `${what} can crash or block n8n, which is not allowed here`,
    'Only an administrator can allow this: set LOAD_TARGET_DANGEROUS=true for each n8n process of a test system.',
  );
}

export function requireMiB({ maxMiB }: Allowance, askedMiB: number): void {
  if (askedMiB <= maxMiB) return;
  throw new Mistake(
    `This n8n allows one item ${maxMiB} MiB, but it asks for ${Math.ceil(askedMiB)} MiB`,
    'Ask for less. The limit is LOAD_TARGET_MAX_MIB in the environment of n8n.',
  );
}

export function requireMs({ maxMs }: Allowance, askedMs: number): void {
  if (askedMs <= maxMs) return;
  throw new Mistake(
    `This n8n allows one item ${maxMs} ms, but it asks for ${Math.ceil(askedMs)} ms`,
    'Ask for less. The limit is LOAD_TARGET_MAX_MS in the environment of n8n.',
  );
}
