/**
 * The folders of cli/src from top to bottom. A folder imports from those below it only, and
 * never from one in its own row; ESLint refuses the rest. docs/architecture.md draws the same list.
 */
export const LAYERS = [
  ['cli'],
  ['program'],
  ['commands'],
  ['recommend'],
  ['predict'],
  ['sweep', 'compare', 'drill', 'study'],
  ['find'],
  ['run', 'watch', 'recover'],
  ['report', 'samplers', 'load'],
  ['targets'],
  ['analysis'],
  ['record'],
  ['plan'],
  ['catalogue'],
  ['lab'],
  ['linux', 'prometheus'],
  ['ui'],
];

/** Of the above, those that are a file. */
export const FILES = ['cli', 'program'];

/** Data in, data or text out: these touch no file, no process, no network and no clock of their own. */
export const PURE = ['analysis', 'report'];

/** Folders lie at most this deep beneath cli/src; deeper ones would escape the rules below. */
export const MAX_DEPTH = 4;

/** Which folders `folder` must not import from. */
export function forbidden(folder) {
  const at = LAYERS.findIndex((row) => row.includes(folder));
  return LAYERS.slice(0, at + 1)
    .flat()
    .filter((other) => other !== folder);
}

/** One configuration for each folder and depth, since a relative import says how far up it goes. */
export function layerRules() {
  return LAYERS.flat().flatMap((folder) =>
    Array.from({ length: MAX_DEPTH }, (_, index) => {
      const depth = index + 1;
      const files = FILES.includes(folder)
        ? [`cli/src/${folder}.ts`]
        : [`cli/src/${[folder, ...Array(depth - 1).fill('*')].join('/')}/*.ts`];
      const up = FILES.includes(folder) ? '\\./' : `(\\.\\./){${depth}}`;
      const others = forbidden(folder);
      return {
        files,
        rules: {
          'no-restricted-imports': [
            'error',
            {
              patterns: [
                ...(others.length === 0
                  ? []
                  : [
                      {
                        regex: `^${up}(${others.join('|')})(/|$)`,
                        message: `${folder}/ lies below or beside it in cli/layers.mjs: move what both need further down.`,
                      },
                    ]),
                ...(PURE.includes(folder)
                  ? [
                      {
                        regex: '^node:',
                        message: `${folder}/ is pure: take the data as an argument.`,
                      },
                    ]
                  : []),
              ],
            },
          ],
        },
      };
    }),
  );
}
