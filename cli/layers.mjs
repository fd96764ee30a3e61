// @ts-check
// ESLint reads this file under plain Node.js: it is JavaScript with checked types.
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The rooms of cli/src from top to bottom. A file imports from its own room and from those below it, and never from
 * one in the same row; ESLint refuses the rest. docs/architecture.md draws the same list.
 */
export const LAYERS = [
  ['cli'],
  ['program'],
  ['commands'],
  ['features/recommend'],
  ['features/predict', 'features/migrate'],
  ['features/sweep', 'features/compare', 'features/drill', 'features/study'],
  ['features/find'],
  [
    ...['features/watch', 'features/recover', 'features/sample', 'features/stand-in'],
    ...['features/twin', 'features/n8n'],
  ],
  ['options'],
  ['run'],
  ['report', 'samplers', 'load'],
  ['targets'],
  ['analysis'],
  ['record'],
  ['plan'],
  ['catalogue'],
  ['lab'],
  ['stand-in'],
  ['linux', 'prometheus'],
  ['ui'],
];

/** Data in, data or text out: files in folders of these names use no file, process, network or clock of their own. */
export const PURE = ['analysis', 'report'];

/** Rooms that touch the world: nothing pure imports from them. */
const WORLD = ['run', 'samplers', 'load', 'targets', 'linux', 'lab'];

/** What a pure file may import from the rest of a feature: the shapes of what is asked for and recorded. */
const SHAPES = ['plan', 'record', 'rate-record'];

const SOURCES = fileURLToPath(new URL('./src', import.meta.url));
const ROOMS = LAYERS.flat();

/**
 * `features/find/report/html.ts` is in the room `features/find`, in its part `report`.
 * @param {string} path
 */
export function placeOf(path) {
  const names = path.replace(/\.ts$/, '').split('/');
  const length = names[0] === 'features' ? 2 : 1;
  const room = names.slice(0, length).join('/');
  return { room, part: names[length] ?? '', isPure: isPure(names) };
}

/**
 * `commands/report/` is the command; what it writes is in its part `index`.
 * @param {readonly string[]} names
 */
const isPure = (names) =>
  names[0] === 'commands'
    ? names[2] === 'index'
    : names.slice(0, -1).some((name) => PURE.includes(name));

/**
 * Why a file may not import another, both as paths in cli/src; undefined where it may.
 * @param {string} from
 * @param {string} to
 */
export function refusalOf(from, to) {
  const [importer, imported] = [placeOf(from), placeOf(to)];
  const rowOf = (/** @type {string} */ room) => LAYERS.findIndex((row) => row.includes(room));
  if (importer.room !== imported.room && rowOf(imported.room) <= rowOf(importer.room)) {
    return `${importer.room}/ lies below or beside ${imported.room}/ in cli/layers.mjs: move what both need further down.`;
  }
  if (!importer.isPure || imported.isPure) return undefined;
  const isOfFeature = imported.room.startsWith('features/') || imported.room === importer.room;
  return WORLD.includes(imported.room) || (isOfFeature && !SHAPES.includes(imported.part))
    ? `${from} is pure, and ${to} is not: take the data as an argument.`
    : undefined;
}

/** @type {import('eslint').Rule.RuleModule} */
const rule = {
  create(context) {
    const from = relative(SOURCES, context.filename);
    /** @param {import('eslint').Rule.Node} node */
    const check = (node) => {
      const source = 'source' in node ? node.source : undefined;
      const name = source != null && 'value' in source ? source.value : undefined;
      if (typeof name !== 'string') return;
      const to = relative(SOURCES, join(dirname(context.filename), name));
      let message;
      if (name.startsWith('node:')) {
        if (placeOf(from).isPure) message = `${from} is pure: take the data as an argument.`;
      } else if (name.startsWith('.') && ROOMS.includes(placeOf(to).room)) {
        message = refusalOf(from, to);
      }
      if (message !== undefined) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

export const layers = {
  files: ['cli/src/**/*.ts'],
  plugins: { kit: { rules: { layers: rule } } },
  rules: { 'kit/layers': 'error' },
};
