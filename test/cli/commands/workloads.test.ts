import { join } from 'node:path';
import { readCatalogue } from '../../../cli/src/catalogue/read';
import { description, workloadTable } from '../../../cli/src/commands/workloads';
import { repositoryRoot } from '../../../cli/src/lab/paths';
import { findWorkload } from '../../../loadtests/lib/workload';

const { workloads } = readCatalogue(join(repositoryRoot(), 'workflows/catalogue.json'));

test('workloads are a table of one line each, no wider than a terminal', () => {
  const lines = workloadTable(workloads);
  const [head = '', ...rows] = lines.slice(0, workloads.length + 1);
  expect(head).toMatch(/^WORKLOAD +WHAT IT IS +PARAMETERS$/);
  const column = head.indexOf('WHAT');
  expect(rows.map((row) => row.slice(0, column).trim())).toEqual(workloads.map(({ name }) => name));
  expect(rows.map((row) => row.slice(column - 1, column))).toEqual(rows.map(() => ' '));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test.each(workloads)('$name is described with its variants and parameters', (workload) => {
  const text = description(workload).join('\n');
  for (const variant of Object.keys(workload.variants)) expect(text).toContain(variant);
  for (const name of Object.keys(workload.parameters)) expect(text).toContain(`--param ${name}=`);
  expect(text.includes('Warning: ')).toBe(workload.warning !== undefined);
});

test('a name that is nearly that of a workload gets the right one proposed', () => {
  expect(() => findWorkload(workloads, 'last-nod')).toThrow(
    "there is no workload 'last-nod' (did you mean last-node?): choose one of immediate, last-node,",
  );
  expect(() => findWorkload(workloads, 'something-else')).toThrow(
    "there is no workload 'something-else': choose one of",
  );
});
