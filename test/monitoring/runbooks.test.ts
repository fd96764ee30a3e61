// What a runbook names is there: pages, values of the chart, workloads, commands.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { programOf } from '../../cli/src/program';
import { alertGroups } from '../../monitoring/alerts';
import { placeOf } from '../../monitoring/runbook';

const root = repositoryRoot();
const folder = join(root, 'docs/runbooks');
const alerts = alertGroups.flatMap((group) => group.alerts);
const pages = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
const values = parse(readFileSync(join(root, 'charts/n8n-tuned/values.yaml'), 'utf8')) as object;

const codeOf = (page = ''): string[] =>
  [...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code ?? []);

/** A role's settings are those of `pod`, too. */
function isValue(path: string): boolean {
  const [first = '', ...rest] = path.split('.');
  const roots = ['main', 'worker', 'webhook'].includes(first) ? [first, 'pod'] : [first];
  return roots.some((name) => {
    let at: unknown = values;
    for (const key of [name, ...rest]) {
      if (typeof at !== 'object' || at === null || !(key in at)) return false;
      at = (at as Record<string, unknown>)[key];
    }
    return true;
  });
}

test('each alert has its runbook where its runbook_url leads', () => {
  const lost = alerts.filter(({ name }) => {
    const [file, anchor] = placeOf(name).split('#');
    const page = pages.find(([one]) => one === file)?.[1] ?? '';
    return anchor !== name.toLowerCase() || !page.includes(`\n## ${name}\n`);
  });
  expect(lost).toEqual([]);
});

test.each(alerts.map((alert) => [alert.name, alert] as const))(
  '%s says how to tell why and what to do',
  (_, { summary, tellWhy, whatToDo, drill }) => {
    expect(summary).toMatch(/[^.]\.$/);
    expect(tellWhy.length).toBeGreaterThan(0);
    expect(whatToDo.length).toBeGreaterThan(0);
    expect(drill).not.toBe('');
    // The kernel ignores SIGKILL from within a container to its first process.
    expect(drill).not.toMatch(/kill -(9|KILL) 1\b/);
  },
);

test.each(pages)('%s links to pages that are there', (_, page = '') => {
  const targets = [
    ...[...page.matchAll(/\]\(([^)]+)\)/g)].map(([, to]) =>
      join(folder, to?.replace(/#.*/, '') ?? ''),
    ),
    ...[...page.matchAll(/(docs\/[\w/-]+\.md)/g)].map(([, to]) => join(root, to ?? '')),
  ];
  expect(targets.filter((target) => !existsSync(target))).toEqual([]);
});

test.each(pages)('%s names values that the chart has', (_, page) => {
  const tops = Object.keys(values);
  const named = codeOf(page)
    .map((code) => code.replace(/: .*$/, ''))
    .filter((code) => /^\w+(\.\w+)+$/.test(code) && tops.includes(code.split('.')[0] ?? ''));
  expect(named.filter((path) => !isValue(path))).toEqual([]);
});

test.each(pages)('%s names commands and workloads that there are', (_, page) => {
  const commands = codeOf(page).flatMap((code) => /^n8n-tuned (\w+)/.exec(code)?.[1] ?? []);
  const there = programOf().commands.map((command) => command.name());
  expect(commands.filter((command) => !there.includes(command))).toEqual([]);

  const workloads = [...(page ?? '').matchAll(/workload `([\w-]+)`/g)].flatMap(
    ([, name]) => name ?? [],
  );
  const catalogue = readFileSync(join(root, 'workflows/catalogue.json'), 'utf8');
  expect(workloads.filter((name) => !catalogue.includes(`"${name}"`))).toEqual([]);
});
