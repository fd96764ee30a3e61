// A test says by its name what holds: one sentence, which may begin with the names of the groups around it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '../..');
const filesOf = (pattern: string): string[] =>
  execFileSync('git', ['ls-files', pattern], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)));

/** `describe`, `it` or `test`, also as `test.each(table)`; undefined for any other call. */
function calleeOf(call: ts.CallExpression): string | undefined {
  let callee: ts.Node = call.expression;
  while (!ts.isIdentifier(callee)) {
    if (ts.isTaggedTemplateExpression(callee)) callee = callee.tag;
    else if (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) {
      callee = callee.expression;
    } else return undefined;
  }
  return ['describe', 'it', 'test'].includes(callee.text) ? callee.text : undefined;
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
