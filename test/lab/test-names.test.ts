// A test says by its name what holds: one sentence, which may begin with the names of the groups around it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { isReachKnown, passesOf, reachedWithoutImport, suiteOf, suites } from '../suites';

const root = join(__dirname, '../..');
const filesOf = (pattern: string): string[] =>
  execFileSync('git', ['ls-files', pattern], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)));

/** Those that leave tests out with another n8n are called with a patch, and what that gives with a title. */
const OF_A_PATCH: Record<string, string> = { describeOf: 'describe', testOf: 'test' };

/** `describe`, `it` or `test`, also as `test.each(table)`; undefined for any other call. */
function calleeOf(call: ts.CallExpression): string | undefined {
  let callee: ts.Node = call.expression;
  while (!ts.isIdentifier(callee)) {
    if (ts.isTaggedTemplateExpression(callee)) callee = callee.tag;
    else if (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) {
      callee = callee.expression;
    } else return undefined;
  }
  const isOfAPatch = callee !== call.expression && callee.text in OF_A_PATCH;
  const name = isOfAPatch ? OF_A_PATCH[callee.text] : callee.text;
  return ['describe', 'it', 'test'].find((one) => one === name);
}

/** What a title says; a value that is put in is one word. */
function titleOf(node: ts.Expression | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => `%s${literal.text}`)].join('');
}

interface Title {
  callee: string;
  /** With the titles of the groups around it. */
  whole: string;
  isInGroup: boolean;
}

function titlesIn(source: ts.Node, around = ''): Title[] {
  const titles: Title[] = [];
  source.forEachChild(function visit(node) {
    const callee = ts.isCallExpression(node) ? calleeOf(node) : undefined;
    const title = ts.isCallExpression(node) ? titleOf(node.arguments[0]) : undefined;
    if (callee === undefined || title === undefined) {
      node.forEachChild(visit);
      return;
    }
    const whole = `${around} ${title}`.trim();
    if (callee === 'describe') titles.push(...titlesIn(node, whole));
    else titles.push({ callee, whole, isInGroup: around !== '' });
  });
  return titles;
}

/** Verbs that do not end in s, as plurals and the past have them. */
const PLURAL_VERB = new RegExp(
  `^(are|was|were|had|have|do|did|can|cannot|may|must|will|would|should|never|${[
    ...['go', 'come', 'stay', 'give', 'take', 'keep', 'make', 'end', 'begin', 'say', 'run', 'fail'],
    ...['share', 'reach', 'render', 'stand', 'leave', 'become', 'agree', 'add', 'choose', 'see'],
    ...['name', 'record', 'refuse', 'find', 'read', 'need', 'hold', 'use', 'get', 'look', 'differ'],
    ...['import', 'passed', 'became', 'hold', 'understood', 'cost', 'begun', 'follow', 'mean'],
  ].join('|')})$`,
);
const isVerb = (word: string): boolean => PLURAL_VERB.test(word) || /\ws$|n't$/.test(word);

/** A sentence that begins like this has no subject. */
const BEGINS_WITHOUT_SUBJECT =
  /^(is|are|was|has|have|does|can|never|asks|brings|carries|fires|gives|goes|keeps|leaves|lets|lies|loads|makes|needs|says|sends|shows|stops|takes|tells|waits|writes) /;

const VALUES = /%[sdifjpo]|\$[\w.]+/g;
/** A value of a table may be a whole sentence. */
const ENDS_WITH_VALUE = /(%[sdifjpo]|\$[\w.]+)$/;

function isSentence({ callee, whole, isInGroup }: Title): boolean {
  if (callee === 'it' && !isInGroup) return false;
  if (BEGINS_WITHOUT_SUBJECT.test(whole)) return false;
  if (ENDS_WITH_VALUE.test(whole)) return true;
  const [, ...others] = whole.replace(VALUES, 'a value').split(/[\s,;:]+/);
  return others.length >= 3 && others.some(isVerb);
}

test('every test is named by a sentence: a subject, a verb and at least four words', () => {
  const wrong = filesOf('test/**/*.test.ts').flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return titlesIn(ts.createSourceFile(file, text, ts.ScriptTarget.Latest))
      .filter((title) => !isSentence(title))
      .map(({ callee, whole }) => `${file}: ${callee}: ${whole}`);
  });
  expect(wrong).toEqual([]);
});

// Each file of tests belongs to one suite, and runs once: beside others, or alone where a neighbour would disturb it.
const tracked = execFileSync('git', ['ls-files', 'test'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join(root, file));
const ofJest = suites.filter(({ checks }) => !checks);

/** The files that Jest runs in a call with these options: it looks at each path from the root of the disk and of the project. */
const chosenBy = ([flag, pattern = '']: string[], files: string[]): string[] =>
  flag === '--testPathPatterns'
    ? files.filter((file) =>
        [relative(root, file), file].some((path) => new RegExp(pattern).test(path)),
      )
    : files;

test('every file of tests belongs to a suite, and every suite has one', () => {
  const names = new Set(tracked.map(suiteOf));
  expect([...names].sort()).toEqual(ofJest.map(({ name }) => name).sort());
});

test.each(ofJest)('$name runs each of its files once', (suite) => {
  const own = tracked.filter((file) => suiteOf(file) === suite.name);
  const passes = passesOf([suite], 3).map((args) => chosenBy(args, own));
  expect(passes.flat().sort()).toEqual(own.sort());
});

test('every pattern of a file that runs after others names a file, and so many run at a time', () => {
  for (const { name, light = [] } of ofJest) {
    for (const file of light) {
      const pattern = new RegExp(`/test/${name}/${file}\\.test\\.ts$`);
      expect(tracked.filter((path) => pattern.test(path))).not.toEqual([]);
    }
  }
  expect(passesOf(ofJest, 4).map((args) => args.at(-1))).toEqual([
    ...['--maxWorkers=4', '--maxWorkers=2', '--runInBand'],
  ]);
});

test.each([
  ['sources and documents', ['cli/src/ui/numbers.ts', 'docs/kubernetes.md', 'README.md'], true],
  ['a workflow', ['cli/src/ui/numbers.ts', 'workflows/items.json'], false],
  ['what pages must look like', ['test/golden/run/report.md'], false],
  ['what is set up before every test', ['test/support/properties.ts'], false],
  ['the configuration of Jest', ['jest.config.mjs'], false],
])('make check knows which tests a change of %s can reach, or runs all', (_, changed, isKnown) => {
  expect(isReachKnown(changed)).toBe(isKnown);
});

test.each([
  ['cli/src/ui/numbers.ts', 'targets/claims', 'kubernetes/api/rights'],
  ['cli/src/ui/numbers.ts', 'features/drill/recovery-beside', 'kubernetes/api/rights'],
  ['docs/kubernetes.md', 'kubernetes/api/rights', 'targets/claims'],
])('make check finds what a change of %s reaches without an import: %s, and not %s', (...row) => {
  const [changed, reached, other] = row;
  const found = execFileSync('git', ['grep', '-lE', reachedWithoutImport([changed]), 'test/cli'], {
    ...{ cwd: root, encoding: 'utf8' },
  });
  expect(found).toContain(`${reached}.test.ts`);
  expect(found).not.toContain(`${other}.test.ts`);
});
