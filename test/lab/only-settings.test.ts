// The page with variables to copy: each block is what its deployment reads, and names nothing else.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { table } from '../../cli/src/plan/environment';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { BLOCKS, RENDERED, settings } from '../../lab/generate/only-settings';

const root = repositoryRoot();
const page = readFileSync(join(root, 'docs/only-settings.md'), 'utf8');
const all = settings();
const wanted = Object.fromEntries(all.map(({ name, value }) => [name, value]));
const record = JSON.parse(readFileSync(join(root, RENDERED), 'utf8')) as {
  charts: { deployment: string; sha256: string; environment: Record<string, string> }[];
};

const block = (deployment: string): string => {
  const found = BLOCKS.find((one) => one.deployment === deployment);
  if (found === undefined) throw new Error(`no block for ${deployment}`);
  return found.text(all);
};

test('the variables are settings that were measured, with the three of expressions among them', () => {
  expect(Object.keys(wanted)).toEqual(
    expect.arrayContaining([
      'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE',
      'N8N_EXPRESSION_ENGINE_COMPILE_CACHE',
      'N8N_EXPRESSION_ENGINE_POOL_SIZE',
    ]),
  );
  const rows = table().variables;
  for (const name of Object.keys(wanted)) {
    expect(rows.filter((row) => row.name === name && row.part === undefined)).toHaveLength(1);
  }
});

test.each(BLOCKS)('the block for $deployment stands on the page as it is checked here', (one) => {
  expect(page).toContain(`## ${one.title}\n`);
  expect(page.replace(/"/g, "'")).toContain(one.text(all).replace(/"/g, "'"));
});

test.each(record.charts)(
  'the pods of the $deployment chart get every variable of the block, as it was rendered',
  ({ deployment, sha256, environment }) => {
    expect(createHash('sha256').update(block(deployment)).digest('hex')).toBe(sha256);
    expect(environment).toEqual(wanted);
  },
);

test('the block for Compose is an environment of a service', () => {
  const { services } = parse(block('compose')) as {
    services: { n8n: { environment: Record<string, string> } };
  };
  expect(services.n8n.environment).toEqual(wanted);
});

test('the blocks for charts are values where each chart reads them', () => {
  const main = (deployment: string): unknown =>
    (parse(block(deployment)) as { main: Record<string, unknown> }).main;
  const pairs = Object.entries(wanted);
  expect(parse(block('official'))).toEqual({
    config: { extraEnv: pairs.map(([name, value]) => ({ name, value })) },
  });
  expect(main('community')).toEqual({ extraEnvVars: wanted });
  expect(main('8gears')).toEqual({
    extraEnv: Object.fromEntries(pairs.map(([name, value]) => [name, { value }])),
  });
});

test('a shell that runs the block for a plain process gives its programs every variable', () => {
  const print = 'process.stdout.write(JSON.stringify(process.env))';
  const script = `${block('process')}\nexec "$0" -e '${print}'`;
  const out = execFileSync('sh', ['-c', script, process.execPath], { env: {}, encoding: 'utf8' });
  expect(JSON.parse(out)).toMatchObject(wanted);
});

test('the block for Terraform names nothing that the module refuses', () => {
  const text = block('terraform-aws-n8n');
  const pairs = [...text.matchAll(/^ {2}\{ name = "(\w+)", value = "([^"]*)" \},$/gm)];
  expect(text.split('\n')).toHaveLength(pairs.length + 2);
  expect(pairs.length).toBeGreaterThanOrEqual(3);
  for (const [, name = '', value] of pairs) {
    expect(name).not.toMatch(
      /^(DB_|QUEUE_|N8N_RUNNERS_|N8N_EXTERNAL_STORAGE_S3_|N8N_MULTI_MAIN_|AWS_)/,
    );
    expect(name).not.toBe('N8N_LOG_LEVEL');
    expect(value).toBe(wanted[name]);
  }
});
