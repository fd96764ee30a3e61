// The patches of n8n's sandbox of expressions: with them and without, the same comes of every expression, and the sandbox
// stays as tight.
import * as corpus from '../support/expression-corpus.ts';
import {
  evaluate,
  type Input,
  type Outcome,
  type Output,
  type Sandbox,
} from '../support/expressions.ts';
import { describeOf, isLoaded, script } from '../support/preload-folder';
import { N8N_VERSION } from '../../support/versions';

/** One of so many is taken of every function on every value with every argument; LONG=1 takes all. It shares no factor with the number of values or of arguments. */
const EVERY = process.env['LONG'] === '1' ? 1 : 4;
const LAZY = script('lazy-character-map');
const WARM = script('warm-expressions');
const ZONE = script('zone-once');

const variants: [string, string[]][] = [
  ['the lazy character map', [LAZY]],
  ['the warm code cache', [WARM]],
  ['zones computed once', [ZONE]],
  ['all of them', [LAZY, WARM, ZONE]],
  ['all of them the other way round', [ZONE, WARM, LAZY]],
];

describeOf('zone-once')('every expression gives the same', () => {
  // Also of what is left out, the names of its tests are made.
  const isTried = isLoaded('zone-once');
  const documented = isTried ? corpus.documentedExamples(N8N_VERSION) : [];
  const crossed = (isTried ? corpus.crossed(N8N_VERSION) : []).filter(
    (_, index) => index % EVERY === 0,
  );
  const input: Input = {
    timezone: 'America/New_York',
    data: { a: 'Ünïcode', b: [1, { c: null }] },
    lists: [documented, crossed, corpus.everyCharacter(), corpus.MISTAKES, corpus.DATES],
  };
  const elsewhere: Input = {
    timezone: 'Asia/Kathmandu',
    lists: [corpus.DATES, documented],
  };
  let plain: Output;
  let plainElsewhere: Output;
  beforeAll(async () => {
    plain = await evaluate(N8N_VERSION, input, []);
    plainElsewhere = await evaluate(N8N_VERSION, elsewhere, []);
  }, 900_000);

  test('in a corpus of which few expressions end in an error', () => {
    expect(documented.length).toBeGreaterThan(140);
    expect(crossed.length).toBeGreaterThan(6_000 / EVERY);
    const [examples = [], pairs = [], characters = []] = plain.lists;
    expect(examples.filter(({ error }) => error !== undefined).length).toBeLessThan(5);
    const values = pairs.filter(({ error, type }) => error === undefined && type !== 'undefined');
    expect(values.length).toBeGreaterThan(crossed.length / 6);
    expect(characters.every(({ error }) => error === undefined)).toBe(true);
    expect(JSON.stringify(characters)).toContain('Bei ');
  });

  test.each(variants)(
    'with %s',
    async (_, scripts) => {
      const patched = await evaluate(N8N_VERSION, input, scripts);
      expect(patched.said).toBe(plain.said);
      patched.lists.forEach((list, n) => {
        const differing = list.flatMap((outcome, index) => {
          const wanted = plain.lists[n]?.[index];
          const isSame = JSON.stringify(outcome) === JSON.stringify(wanted);
          return isSame ? [] : [{ expression: input.lists?.[n]?.[index], outcome, wanted }];
        });
        expect(differing).toEqual([]);
      });
      expect((await evaluate(N8N_VERSION, elsewhere, scripts)).lists).toEqual(plainElsewhere.lists);
    },
    900_000,
  );
});

/** Raw code in sandboxes with limits of their own. */
const SANDBOXES = ((): Record<'shared' | 'globals' | 'greedy', Sandbox[]> => {
  const limits = { memoryLimit: 64, timeout: 5_000 };
  const leave = 'globalThis.left = 1; Array.prototype.left = 1; String.prototype.left = 1;';
  const slow = `return extend('ü', 'replaceSpecialChars', [])`;
  const look = `return [typeof globalThis.left, typeof [].left, typeof ''.left]`;
  // 160 MB, not without end: where the limit did not bite, the machine would suffer.
  const greedy = 'const all = []; for (let n = 0; n < 100; n += 1) all.push(Array(2e5).fill(n));';
  return {
    shared: [
      { limits, codes: [leave, slow, look] },
      { limits, codes: [look, slow] },
    ],
    globals: [
      {
        limits,
        codes: [
          'return Object.getOwnPropertyNames(globalThis).sort()',
          'return [typeof process, typeof require, typeof module, typeof fetch, typeof Buffer]',
        ],
      },
    ],
    greedy: [
      { limits: { ...limits, timeout: 200 }, codes: ['for (;;);', 'return 1'] },
      { limits: { ...limits, memoryLimit: 32 }, codes: [`${greedy} return 1`] },
      { limits, codes: ['return 1'] },
    ],
  };
})();

/** What came of them, all in one process. */
async function inSandboxes(
  scripts: string[],
): Promise<Record<keyof typeof SANDBOXES, Outcome[][]>> {
  const { shared, globals, greedy } = SANDBOXES;
  const { bridges } = await evaluate(
    N8N_VERSION,
    { bridges: [...shared, ...globals, ...greedy] },
    scripts,
  );
  return {
    shared: bridges.slice(0, shared.length),
    globals: bridges.slice(shared.length, -greedy.length),
    greedy: bridges.slice(-greedy.length),
  };
}

describeOf('zone-once')('the sandbox', () => {
  const seen: Record<string, Awaited<ReturnType<typeof inSandboxes>>> = {};
  const all: [string, string[]][] = [['no patch', []], ...variants];
  beforeAll(async () => {
    for (const [name, scripts] of all) seen[name] = await inSandboxes(scripts);
  }, 300_000);

  test.each(all)('with %s shares nothing between two of them', (name) => {
    expect(seen[name]?.shared.map((list) => list.map(({ value }) => value))).toEqual([
      ['undefined', 'u', ['number', 'number', 'number']],
      [['undefined', 'undefined', 'undefined'], 'u'],
    ]);
  });

  test.each(all)('with %s offers the same globals, and none of Node.js', (name) => {
    expect(seen[name]?.globals).toEqual(seen['no patch']?.globals);
    expect(seen[name]?.globals[0]?.[0]?.value).toContain('Array');
    expect(seen[name]?.globals[0]?.[1]?.value).toEqual(Array(5).fill('undefined'));
  });

  test.each(all)('with %s still ends what takes too long or too much', (name) => {
    expect(seen[name]?.greedy).toEqual([
      [
        { error: 'TimeoutError', message: 'Expression timed out after 200ms' },
        { type: 'number', value: '1' },
      ],
      [{ error: 'MemoryLimitError', message: 'Expression exceeded memory limit of 32MB' }],
      [{ type: 'number', value: '1' }],
    ]);
  });
});
