import { Mistake } from './mistake.ts';

const UNIT_SECONDS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** `90`, `30s`, `1m30s`, `500ms`, `1h`: seconds. */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) {
    return Number(trimmed);
  }
  const parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== trimmed) {
    throw new Mistake(`'${text}' is not a duration: use a form such as 30s, 1m30s or 2h`);
  }
  return parts.reduce((sum, part) => sum + Number(part[1]) * (UNIT_SECONDS[part[2] ?? ''] ?? 0), 0);
}
