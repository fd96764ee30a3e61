/** The shape and the size of recorded data, with none of its values. Pure. */

/** A text of these forms is taken apart by workflows, so its stand-in has the form too. */
const FORMS: readonly (readonly [RegExp, (text: string) => string])[] = [
  [
    /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/,
    (text) =>
      '2026-01-01T00:00:00.000000000'.slice(0, untilZone(text)) + text.slice(untilZone(text)),
  ],
  [/^-?\d+(?:[.,]\d+)?$/, (text) => text.replace(/\d/g, '1')],
  [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, (text) => text.replace(/[^@.]/g, 'x')],
  [
    /^https?:\/\/\S+$/,
    (text) => text.replace(/(?<=:\/\/.*)[^/.:?&=#]/g, (sign) => (/\d/.test(sign) ? '1' : 'x')),
  ],
];

/** Where the zone of a time begins, or its end. */
const untilZone = (text: string): number => {
  const zone = text.slice(10).search(/Z|[+-]\d{2}:?\d{2}$/);
  return zone === -1 ? text.length : 10 + zone;
};

/** A key that is no name but a value, such as an address or a number of a customer. */
const IS_VALUE = /@|\d{4,}|^.{65,}$/s;

export function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') {
    return FORMS.find(([form]) => form.test(value))?.[1](value) ?? 'x'.repeat(value.length);
  }
  if (typeof value === 'number') {
    return Number.isInteger(value) ? 10 ** (String(Math.abs(value)).length - 1) : 1.5;
  }
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part], index) => [
      IS_VALUE.test(key) ? `key${String(index + 1)}` : key,
      shapeOf(part),
    ]),
  );
}
