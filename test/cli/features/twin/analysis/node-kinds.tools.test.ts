/** The lists of node types against those that n8n itself describes. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kindOf, STAYS } from '../../../../../cli/src/features/twin/analysis/node-kinds';
import { labPaths } from '../../../../../cli/src/lab/paths';

interface Described {
  name: string;
  credentials?: unknown[];
}

const modules = join(dirname(labPaths().n8n), '../..');
const described = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'].flatMap((name) => {
  const file = join(modules, name, 'dist/types/nodes.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as Described[]).map((node) => ({
    ...node,
    type: `${name}.${node.name}`,
  }));
});

/** Their credentials are those of a caller, of a database of memories in another version, or of a signature. */
const WITH_CREDENTIALS = [
  ...['n8n-nodes-base.form', 'n8n-nodes-base.jwt', 'n8n-nodes-base.respondToWebhook'],
  ...['n8n-nodes-base.crypto', 'n8n-nodes-base.wait', '@n8n/n8n-nodes-langchain.agent'],
  ...['n8n-nodes-base.editImage', 'n8n-nodes-base.readPDF'],
];

test('what stays is a type of n8n, and needs no credential of a service', () => {
  const types = new Set(described.map(({ type }) => type));
  expect([...STAYS].filter((type) => !types.has(type))).toEqual([]);
  const needing = described
    .filter(({ type, credentials = [] }) => STAYS.has(type) && credentials.length > 0)
    .map(({ type }) => type);
  expect([...new Set(needing)].filter((type) => !WITH_CREDENTIALS.includes(type))).toEqual([]);
});

test('every node with a credential that is not listed counts as one that leaves n8n', () => {
  const staying = described
    .filter(({ type, credentials = [] }) => credentials.length > 0 && kindOf(type) === 'stays')
    .map(({ type }) => type);
  expect(staying.every((type) => WITH_CREDENTIALS.includes(type))).toBe(true);
});
