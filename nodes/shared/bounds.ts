import { Mistake } from './mistake';

/** Bounds of a number, shown by the editor and checked again when the node runs. */
export interface Bounds {
  /** The parameter's name as the editor shows it. */
  title: string;
  min: number;
  max: number;
  integer?: boolean;
}

/** An expression can give anything: a string from a query is fine, all else that is no number is not. */
export function checkedNumber(value: unknown, { title, min, max, integer }: Bounds): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw new Mistake(`'${title}' must be a number, but it is ${shown(value)}`);
  }
  if (number < min || number > max) {
    throw new Mistake(`'${title}' must be from ${min} to ${max}, but it is ${number}`);
  }
  if (integer && !Number.isInteger(number)) {
    throw new Mistake(`'${title}' must be a whole number, but it is ${number}`);
  }
  return number;
}

export function checkedChoice<T extends string>(
  value: unknown,
  title: string,
  allowed: readonly T[],
): T {
  const found = allowed.find((choice) => choice === value);
  if (found === undefined) {
    throw new Mistake(`'${title}' must be one of ${allowed.join(', ')}, but it is ${shown(value)}`);
  }
  return found;
}

export function checkedBoolean(value: unknown, title: string): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new Mistake(`'${title}' must be true or false, but it is ${shown(value)}`);
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? typeof value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
