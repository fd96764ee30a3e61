import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../cli/src/catalogue/read';
import { activationSql, bundledPlace, placed } from '../../cli/src/catalogue/seeding';
import { parseExport } from '../../cli/src/catalogue/exported-workflow';
import { filesOf, type VariantName } from '../../cli/src/catalogue/workload';
import { requestsOf } from '../../loadtests/lib/workload';
import { root, workflowsFolder } from './support/n8n';
import { N8N_LEGACY_VERSION, N8N_VERSION } from '../support/versions';

interface Node {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  parameters: Record<string, unknown>;
  webhookId?: string;
}

interface Workflow {
  id: string;
  name: string;
  active: boolean;
  nodes: Node[];
  connections: Record<string, { main: { node: string }[][] }>;
  settings: Record<string, unknown>;
  versionId: string;
  tags: { id: string; name: string }[];
}

const catalogue = readCatalogue(join(workflowsFolder, 'catalogue.json'));
const releases = JSON.parse(
  readFileSync(join(root, 'lab/generate/node-releases.json'), 'utf8'),
) as Record<'nodes' | 'n8n', Record<string, string | undefined>>;
const read = (file: string): Workflow =>
  JSON.parse(readFileSync(join(workflowsFolder, file), 'utf8')) as Workflow;

const files = catalogue.workloads.flatMap((workload) =>
  Object.entries(workload.variants).flatMap(([variant, one]) =>
    one === undefined
      ? []
      : filesOf(workload, one).map((file) => ({
          ...{ file, variant, workload, together: filesOf(workload, one) },
          isCalled: one.alongside.includes(file),
        })),
  ),
);
const webhookPaths = ({ nodes }: Workflow): string[] =>
  nodes
    .filter(({ type }) => type === 'n8n-nodes-base.webhook')
    .map(({ parameters }) => `/webhook/${String(parameters['path'])}`);

describe.each(files)('$file', ({ file, variant, workload, together, isCalled }) => {
  const workflow = read(file);
  const work = workflow.nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');

  it('imports as it is: an id that n8n takes, a version, inactive', () => {
    expect(workflow.id).toMatch(variant === 'legacy' ? /^\d+$/ : /^[a-z][a-z0-9-]{1,35}$/);
    expect(workflow.versionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(workflow.active).toBe(false);
    expect(workflow.settings).toEqual(variant === 'legacy' ? {} : { executionOrder: 'v1' });
  });

  it('explains itself in one note above its nodes', () => {
    const notes = workflow.nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
    expect(notes).toHaveLength(1);
    const { content, height } = notes[0]?.parameters ?? {};
    expect(String(content)).toMatch(/^## .+\n.{40,}/s);
    expect((notes[0]?.position[1] ?? 0) + Number(height)).toBeLessThan(0);
    expect(Math.min(...work.map(({ position }) => position[1]))).toBeGreaterThanOrEqual(0);
  });

  it('shows in its note how to call it, where it is explained, and whether it can hurt', () => {
    const note = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.stickyNote');
    const content = String(note?.parameters['content']);
    expect(content).toContain(`docs/workloads.md#${workload.name})`);
    if (workload.request !== undefined && !isCalled) {
      const request = requestsOf(catalogue, workload.name, { variant }).find(({ path }) =>
        webhookPaths(workflow).includes(path.replace(/\?.*/, '')),
      );
      expect(content).toMatch(/^`curl .+`$/m);
      expect(content).toContain(`'http://localhost:5678${request?.path ?? ''}'`);
      if (request?.method !== 'GET') expect(content).toContain(`-X ${request?.method ?? ''}`);
      const { warning } = workload;
      expect(content.includes('**Warning:**')).toBe(warning !== undefined);
      if (warning !== undefined) expect(content).toContain(`**Warning:** ${warning} Publish this`);
      expect(content.includes('set Authentication to Header Auth')).toBe(warning !== undefined);
    }
  });

  it('has a tag by which all are found, and one if it can hurt n8n', () => {
    const hurts = workload.warning !== undefined || workload.mayCrashN8n;
    expect(workflow.tags.map(({ name }) => name)).toEqual([
      'load test',
      ...(hurts ? ['can hurt n8n'] : []),
    ]);
  });

  it('leaves on what keeps n8n alive, unless it is made to crash n8n', () => {
    const risks = work.flatMap(({ parameters: { mayCrash, mayFreeze } }) => [mayCrash, mayFreeze]);
    expect(risks.includes(true)).toBe(workload.mayCrashN8n && variant === 'load-target');
  });

  it('names the oldest n8n that has all its nodes', () => {
    const min = workload.variants[variant as VariantName]?.n8n;
    if (variant === 'legacy') {
      expect(min).toBe('<1.0.0');
      return;
    }
    const newest = together
      .flatMap((one) => read(one).nodes)
      .filter(({ type }) => type.startsWith('n8n-nodes-base.'))
      .map(({ type, typeVersion }) => {
        const known = releases.nodes[`${type.split('.')[1] ?? ''} ${String(typeVersion)}`];
        if (known === undefined) throw new Error(`node-releases.json: ${type} ${typeVersion}`);
        return known;
      })
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .at(-1);
    expect(min).toBe(`>=${releases.n8n[newest ?? ''] ?? 'unknown'}`);
  });

  it('has nodes with a name, an id and a place each, all of them connected', () => {
    const all = workflow.nodes;
    for (const values of [all.map(({ id }) => id), all.map(({ name }) => name)]) {
      expect(new Set(values).size).toBe(all.length);
    }
    expect(new Set(all.map(({ position }) => position.join())).size).toBe(all.length);
    const names = work.map(({ name }) => name);
    const sources = Object.keys(workflow.connections);
    const targets = Object.values(workflow.connections).flatMap(({ main: outputs }) =>
      outputs.flat().map(({ node }) => node),
    );
    expect([...new Set([...sources, ...targets])].sort()).toEqual([...names].sort());
  });

  it('listens where the catalogue sends the request', () => {
    if (workload.request === undefined || isCalled) {
      expect(webhookPaths(workflow)).toEqual([]);
    } else {
      const requests = requestsOf(catalogue, workload.name, { variant });
      const paths = requests.map(({ path }) => path.replace(/\?.*/, ''));
      expect(together.flatMap((one) => webhookPaths(read(one)))).toEqual(paths);
      expect(webhookPaths(workflow)).not.toEqual([]);
    }
  });

  it('uses the nodes of its variant', () => {
    const own = work.filter(({ type }) => !type.startsWith('n8n-nodes-base.'));
    expect(own.map(({ type }) => type)).toEqual(
      variant === 'load-target' ? ['n8n-nodes-load-target.loadTarget'] : [],
    );
  });

  it('has an expression only where there is no other way, for each costs n8n 2.x an engine', () => {
    const expressions = JSON.stringify(work.map(({ parameters }) => parameters)).match(
      /"=[^"]*\{\{/,
    );
    const needed = ['expressions', 'binary', 'data-table', 'side-effect'];
    const sized = Object.keys(workload.parameters).length > 0 && variant === 'load-target';
    expect(expressions !== null).toBe(needed.includes(workload.name) || sized);
  });
});

test('the folder gives no two workflows the same id, name or webhook, but for those below 1.0', () => {
  const modern = files.filter(({ variant }) => variant !== 'legacy').map(({ file }) => read(file));
  const legacy = files.filter(({ variant }) => variant === 'legacy').map(({ file }) => read(file));
  for (const together of [modern, legacy]) {
    for (const values of [
      together.map(({ id }) => id),
      together.map(({ name }) => name),
      together.flatMap(webhookPaths),
    ]) {
      expect(new Set(values).size).toBe(values.length);
    }
  }
});

describe('seeding', () => {
  const parsed = (file: string): ReturnType<typeof parseExport> =>
    parseExport(readFileSync(join(workflowsFolder, file), 'utf8'), file);

  it('puts the addresses of the place into the workflow, and nothing else', () => {
    const [workflow] = parsed('http-calls.json');
    const moved = placed(workflow as never, { upstreamUrl: 'http://upstream.test:8080' });
    const urls = moved.nodes.map(({ parameters }) => (parameters as { url?: string }).url);
    expect(urls.filter((url) => url !== undefined)).toEqual([
      'http://upstream.test:8080/customer',
      'http://upstream.test:8080/orders',
      'http://upstream.test:8080/stock',
    ]);
    expect(placed(moved, { filesFolder: '/data' })).toEqual(moved);
    expect(placed(workflow as never, bundledPlace)).toEqual(workflow);
  });

  it('moves the files of binary', () => {
    const [workflow] = parsed('binary.json');
    const text = JSON.stringify(placed(workflow as never, { filesFolder: '/data/files' }));
    expect(text.match(/\/data\/files\/load-test-/g)).toHaveLength(2);
    expect(text).not.toContain('/home/node');
  });

  it('takes one workflow or an array of them, and says what is none', () => {
    expect(parseExport('[{"nodes":[],"connections":{}}]', 'a.json')).toHaveLength(1);
    expect(() => parseExport('{"name":"x"}', 'a.json')).toThrow(
      'a.json is not an exported workflow: its nodes or connections are missing',
    );
    expect(() => parseExport('<html>', 'a.json')).toThrow('a.json is not JSON');
  });

  it('publishes a version where n8n has versions, with ids that cannot break out', () => {
    expect(activationSql(N8N_VERSION, ['a', "b'c"])).toBe(
      `UPDATE workflow_entity SET active = TRUE, "activeVersionId" = "versionId" WHERE id IN ('a', 'b''c')`,
    );
    // Below 1.123 n8n has no such column.
    for (const version of [N8N_LEGACY_VERSION, '1.0.5', '1.122.5']) {
      expect(activationSql(version, ['9001'])).toBe(
        `UPDATE workflow_entity SET active = TRUE WHERE id IN ('9001')`,
      );
    }
  });
});
