// Expressions that reach every function with which n8n extends values: n8n's documented examples, every function on values
// of every type with arguments of every kind, every character.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { n8nFolder } from '../../nodes/support/lab';

interface Extension {
  typeName: string;
  functions: Record<string, { doc?: { examples?: { example: string }[] } }>;
}

function extensions(version: string): Extension[] {
  const load = createRequire(join(n8nFolder(version), 'package.json'));
  const { ExpressionExtensions } = load(
    join(load.resolve('n8n-workflow'), '../extensions/index.js'),
  ) as { ExpressionExtensions: Extension[] };
  return ExpressionExtensions;
}

/** Documented as two statements: `dt = ...` and what is done with it. */
const asOneExpression = (example: string): string => {
  const lines = example.split('\n');
  const last = lines.pop() ?? '';
  const given = lines.map((line) => line.replace(/^\s*(\w+)\s*=(.*?);?\s*$/, 'const $1 =$2;'));
  return lines.length === 0 ? last : `(() => { ${given.join(' ')} return ${last}; })()`;
};

/** What is random or depends on the moment differs between two runs of the same n8n. */
const isRepeatable = (name: string): boolean =>
  !['randomItem', 'diffToNow', 'isInLast'].includes(name);

export function documentedExamples(version: string): string[] {
  return extensions(version).flatMap(({ functions }) =>
    Object.entries(functions)
      .filter(([name]) => isRepeatable(name))
      .flatMap(([, { doc }]) => doc?.examples ?? [])
      .map(({ example }) => asOneExpression(example)),
  );
}

const RECEIVERS = [
  ...[`''`, `'  Größe: 12,5 €  '`, `'北京 a_b-c D'`, `'<b>x</b> # *x*'`, `'12.5'`, `'{"a":1}'`],
  ...[`'https://me@example.com/a b?q=ü#x'`, `'2024-02-29T23:59:59.999Z'`, `'aGVsbG8='`],
  ...['0', '(-1.5)', '1708695471', 'NaN', 'true', 'null', '[]', `['b', 'a', 'b']`, '[3, 1, 2]'],
  ...[`[{ a: 1, b: 'x' }, { a: 1 }]`, '({})', `({ a: 1, b: null, c: 'Éa' })`],
  ...[`new Date('2024-03-10T07:30:00Z')`, `DateTime.fromISO('2024-11-03T01:30:00')`],
];

const ARGUMENTS = ['', '2', `'a'`, `'2025-01-01', 'months'`];

/** Every function on every value with every argument. */
export function crossed(version: string): string[] {
  const names = new Set(extensions(version).flatMap(({ functions }) => Object.keys(functions)));
  return [...names]
    .filter(isRepeatable)
    .flatMap((name) =>
      RECEIVERS.flatMap((value) => ARGUMENTS.map((given) => `(${value}).${name}(${given})`)),
    );
}

/** In expressions of 512 characters each, alone and in a word among their like. */
export function everyCharacter(): string[] {
  const blocks = Array.from({ length: 0x12000 / 512 }, (_, block) => block * 512);
  return blocks.map((from) => {
    const code = `Array.from({ length: 512 }, (_, n) => String.fromCodePoint(${String(from)} + n))`;
    return `(() => { const all = ${code}; return [all.map((c) => c.replaceSpecialChars()).join('|'), all.join('').replaceSpecialChars(), all.join('').toSnakeCase()]; })()`;
  });
}

export const MISTAKES = [
  `'a'.noSuchFunction()`,
  '[1].chunk(0)',
  '$json.missing.deeper',
  'missing()',
  `(() => { throw new Error('own') })()`,
  'null.a',
  `({}).constructor.constructor('return 1')()`,
  'this.constructor',
  `[].concat.call.call(1)`,
  `$jmespath({ a: [{ b: 1 }] }, 'a[*].b')`,
  `$if(true, 1, 2)`,
  `'x'.extract`,
  `$json.a.toDateTime()`,
  'new Array(-1)',
  '`${$json.a} and ${1 / 0}`',
];

export const DATES = [
  `DateTime.fromISO('2024-03-10T02:30:00').toISO()`,
  `DateTime.fromISO('2024-03-31T02:30:00').plus({ hours: 1 }).toISO()`,
  `'2024-10-27T00:30'.toDateTime().plus(3, 'hours').toISO()`,
  `DateTime.fromMillis(0).zoneName`,
  `DateTime.fromISO('2024-01-01').setZone('Pacific/Chatham').toISO()`,
  `new Date('2024-01-01T00:00:00').toISOString()`,
  `new Date(0).toLocaleString('de-DE')`,
  `DateTime.fromISO('2024-05-05').setLocale('ja').toLocaleString(DateTime.DATE_FULL)`,
  `Interval.fromDateTimes(DateTime.fromISO('2024-01-01'), DateTime.fromISO('2024-03-01')).length('days')`,
  `Duration.fromISO('P1Y2M10DT2H30M').toISO()`,
  `$now.zoneName`,
  `DateTime.fromISO('not a date').invalidReason`,
];
