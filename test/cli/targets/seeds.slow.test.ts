import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../../cli/src/lab/paths';
import { demandingKey, KEY_HEADER } from '../../../cli/src/catalogue/webhook-key';
import type { SeedWorkflow } from '../../../cli/src/catalogue/seeding';
import type { ExportedWorkflow } from '../../../cli/src/catalogue/exported-workflow';
import { parseRules } from '../../../cli/src/stand-in/rules';
import { N8nApi } from '../../../cli/src/targets/url/api';
import { UrlJournal, type PutIn } from '../../../cli/src/targets/url/journal';
import { leftoversAt } from '../../../cli/src/targets/url/leftovers';
import { removeMade } from '../../../cli/src/targets/url/removal';
import { ApiSeeds } from '../../../cli/src/targets/url/seeds';
import { requestsOf } from '../../../loadtests/lib/workload';
import { readCatalogue } from '../../../cli/src/catalogue/read';
import { startDummyN8n, type DummyN8n, type Trouble } from '../../support/dummy-n8n';

const CALL = '0123abcd';
const KEY = { header: KEY_HEADER, value: 'of this call' };
const workflow = (name: string, needs: SeedWorkflow['needs'] = []): SeedWorkflow => ({
  ...{ name, needs },
  file: join(repositoryRoot(), `workflows/${name}.json`),
});
const cpu = workflow('cpu');
const subWorkflow = [workflow('sub-workflow'), workflow('sub-workflow-called')];
const quiet = (): void => undefined;

const folder = mkdtempSync(join(tmpdir(), 'seeds-'));
const before = process.env['N8N_TUNED_CACHE'];
let n8n: DummyN8n;
beforeEach(async () => {
  process.env['N8N_TUNED_CACHE'] = mkdtempSync(join(folder, 'cache-'));
  n8n = await startDummyN8n();
});
afterEach(() => n8n.close());
afterAll(() => {
  if (before === undefined) delete process.env['N8N_TUNED_CACHE'];
  else process.env['N8N_TUNED_CACHE'] = before;
  rmSync(folder, { recursive: true });
});

const journals = (): string => join(process.env['N8N_TUNED_CACHE'] ?? '', 'at-url');
const written = (): string[] => {
  try {
    return readdirSync(journals());
  } catch {
    return [];
  }
};
const api = (): N8nApi => new N8nApi(n8n.url, 'a-key');
const seedsOf = (warn: (text: string) => void = quiet): ApiSeeds =>
  new ApiSeeds(api(), { journal: UrlJournal.of(n8n.url, CALL), key: KEY, warn });

/** Without waiting: 30 s of tries pass at once. */
const hasty = () => {
  let ms = 0;
  return {
    nowMs: () => ms,
    pause: (pauseMs: number) => {
      ms += pauseMs;
      return Promise.resolve();
    },
  };
};
const clean = async (onKept: (made: PutIn, name: string) => void = quiet): Promise<unknown[]> => {
  const found = await leftoversAt(api(), n8n.url, quiet);
  const forget = (made: PutIn): void =>
    found.find((each) => each.made === made)?.journal?.gone(made);
  return removeMade(
    api(),
    found.map(({ made }) => made),
    {
      onGone: forget,
      onKept: (made, name) => {
        forget(made);
        onKept(made, name);
      },
    },
    hasty(),
  );
};

test('names, paths and ids are of this call, the webhook demands its key, and all of it goes', async () => {
  const seeds = seedsOf();
  await seeds.seed([cpu], {}, quiet);
  const [credential, put] = n8n.things;
  expect(credential).toMatchObject({
    kind: 'credential',
    name: `Load test key (n8n-tuned ${CALL})`,
  });
  expect(put).toMatchObject({ name: `Load test: cpu (n8n-tuned ${CALL})`, active: true });
  const webhooks = put?.nodes.filter(({ type }) => type === 'n8n-nodes-base.webhook');
  expect(webhooks).toEqual([
    expect.objectContaining({
      parameters: expect.objectContaining({
        ...{ path: `load-cpu/${CALL}`, authentication: 'headerAuth' },
      }) as unknown,
      credentials: {
        httpHeaderAuth: { id: credential?.id, name: credential?.name },
      },
    }),
  ]);
  // No other node has it.
  expect(JSON.stringify(put?.nodes).match(/httpHeaderAuth/g)).toHaveLength(1);
  await seeds.takeOut();
  expect(n8n.things).toEqual([]);
  expect(written()).toEqual([]);
});

test('requests of the workload go to the webhook of this call, with its key; others stay as they are', async () => {
  const seeds = seedsOf();
  await seeds.seed([cpu], {}, quiet);
  const catalogue = readCatalogue(join(repositoryRoot(), 'workflows/catalogue.json'));
  const requests = requestsOf(catalogue, 'cpu', {});
  const [addressed] = seeds.addressed(requests);
  expect(addressed?.path).toMatch(new RegExp(`^/webhook/load-cpu/${CALL}[?]`));
  expect(addressed?.headers).toMatchObject({ [KEY_HEADER]: KEY.value });
  const other = { ...requests[0], path: '/webhook/other' } as (typeof requests)[0];
  expect(seeds.addressed([other])).toEqual([other]);
  // Asked once more, nothing changes.
  expect(seeds.addressed(seeds.addressed(requests))).toEqual([addressed]);
});

test('a twin gets its own credentials, which are of this call and go with it', async () => {
  const file = join(folder, 'twin.json');
  const model = {
    ...{ name: 'Model', type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', parameters: {} },
    credentials: { openAiApi: { id: 'twin-openai', name: 'Twin' } },
  };
  writeFileSync(file, JSON.stringify({ id: 't', name: 'Twin', nodes: [model], connections: {} }));
  const data = { apiKey: 'opens-nothing', url: 'http://127.0.0.1:5690/v1' };
  const credentials = [{ id: 'twin-openai', name: 'Twin', type: 'openAiApi', data }];
  const twin: SeedWorkflow = {
    ...{ name: 'twin', file, needs: ['upstream'] },
    standIn: { plan: parseRules('rules: []', 'rules.yaml'), credentials },
  };
  const seeds = seedsOf();
  await seeds.seed([twin], { upstreamUrl: 'http://127.0.0.1:7777' }, quiet);
  const made = n8n.things.find(({ name }) => name.startsWith('Twin (n8n-tuned'));
  const put = n8n.things.find(({ kind }) => kind === 'workflow');
  expect(made?.kind).toBe('credential');
  expect(put?.nodes).toEqual([
    expect.objectContaining({
      credentials: { openAiApi: expect.objectContaining({ id: made?.id }) as unknown },
    }),
  ]);
  await seeds.takeOut();
  expect(n8n.things).toEqual([]);
});

test('an active workflow of the same name is neither loaded nor touched', async () => {
  const theirs = { kind: 'workflow' as const, id: 'theirs', name: 'Load test: cpu', active: true };
  n8n.things.push({ ...theirs, nodes: [], body: null });
  const seeds = seedsOf();
  await seeds.seed([cpu], {}, quiet);
  expect(n8n.things.filter(({ kind }) => kind === 'workflow')).toHaveLength(2);
  await seeds.takeOut();
  expect(n8n.things).toMatchObject([theirs]);
});

test('a workflow that calls another calls the one that was put in with it', async () => {
  const seeds = seedsOf();
  await seeds.seed(subWorkflow, {}, quiet);
  const idOf = (name: string): string | undefined =>
    n8n.things.find((each) => each.name.startsWith(name))?.id;
  const caller = n8n.things.find(({ name }) => name.startsWith('Load test: sub-workflow ('));
  expect(JSON.stringify(caller?.nodes)).toContain(
    `"${idOf('Load test: sub-workflow, the called one') ?? ''}"`,
  );
  expect(JSON.stringify(caller?.nodes)).not.toContain('"load-sub-workflow-called"');
});

test('the error workflow that was put in with a workflow is that of its copy', async () => {
  const file = join(folder, 'failing.json');
  const nodes = [{ name: 'W', type: 'n8n-nodes-base.webhook', parameters: { path: 'w' } }];
  const onError = [{ name: 'E', type: 'n8n-nodes-base.errorTrigger', parameters: {} }];
  const failing = { id: 'x', name: 'S', nodes, settings: { errorWorkflow: 'e' } };
  const all = [failing, { id: 'e', name: 'Alarm', nodes: onError, settings: {} }];
  writeFileSync(file, JSON.stringify(all.map((each) => ({ ...each, connections: {} }))));
  const said: string[] = [];
  await seedsOf((text) => said.push(text)).seed([{ name: 'S', file }], {}, quiet);
  const [alarm, copy] = n8n.things.slice(-2);
  expect(alarm?.name).toBe(`Alarm (n8n-tuned ${CALL})`);
  expect(copy?.body).toMatchObject({ settings: { errorWorkflow: alarm?.id } });
  expect(said).toEqual([]);
});

test('what the API does not take is left out, and named', async () => {
  const file = join(folder, 'settings.json');
  const settings = {
    ...{ executionOrder: 'v1', executionTimeout: 60, callerPolicy: 'none', timezone: 'DEFAULT' },
    ...{ errorWorkflow: 'their-alarm', availableInMCP: true },
  };
  const nodes = [{ name: 'W', type: 'n8n-nodes-base.webhook', parameters: { path: 'w' } }];
  const rest = { staticData: { last: 1 }, pinData: { W: [] }, tags: [], versionId: 'v', id: 'x' };
  writeFileSync(file, JSON.stringify({ name: 'S', nodes, connections: {}, settings, ...rest }));
  const said: string[] = [];
  await seedsOf((text) => said.push(text)).seed([{ name: 'S', file }], {}, quiet);
  expect(n8n.things.at(-1)?.body).toEqual({
    ...{ name: `S (n8n-tuned ${CALL})`, connections: {}, nodes: expect.anything() as unknown },
    settings: { executionOrder: 'v1', executionTimeout: 60, callerPolicy: 'none' },
  });
  expect(said).toEqual([
    `n8n's API rejects these parts of the workflow S (n8n-tuned ${CALL}), so it runs without them: settings.errorWorkflow, settings.availableInMCP, staticData, pinData.`,
  ]);
});

test('an n8n that answers 503 to the first deactivation keeps nothing', async () => {
  n8n.trouble = (asked, times) =>
    asked.endsWith('/deactivate') && times === 1 ? { status: 503 } : null;
  const seeds = seedsOf();
  await seeds.seed(subWorkflow, {}, quiet);
  await seeds.takeOut();
  // Each of both workflows, and the one that was refused once more.
  expect(n8n.asked.filter((asked) => asked.endsWith('/deactivate'))).toHaveLength(3);
  expect(n8n.things).toEqual([]);
  expect(written()).toEqual([]);
});

test('what cannot be removed is named with what removes it, everything else goes, and clean finishes', async () => {
  const journal = UrlJournal.of(n8n.url, CALL);
  const seeds = new ApiSeeds(api(), { journal, key: KEY, warn: quiet });
  await seeds.seed(subWorkflow, {}, quiet);
  const stuck = n8n.things.filter(({ kind }) => kind === 'credential');
  n8n.trouble = (asked) => (asked === 'DELETE /credentials/:id' ? { status: 403 } : null);
  await expect(seeds.takeOut()).rejects.toThrow(
    `the following could not be removed from n8n at ${n8n.url}: the credential 'Load test key (n8n-tuned ${CALL})' (${stuck[0]?.id ?? ''})`,
  );
  await expect(seeds.takeOut()).rejects.toThrow(`n8n-tuned clean --url ${n8n.url}.`);
  expect(n8n.things).toEqual(stuck);
  expect(written()).toEqual([`${CALL}.json`]);
  n8n.trouble = () => null;
  expect(await clean()).toEqual([]);
  expect([n8n.things, written()]).toEqual([[], []]);
});

test('a page with status 404 is not taken for n8n saying that it is gone', async () => {
  const journal = UrlJournal.of(n8n.url, CALL);
  await new ApiSeeds(api(), { journal, key: KEY, warn: quiet }).seed([cpu], {}, quiet);
  n8n.trouble = () => ({ status: 404, isPage: true });
  const gone: PutIn[] = [];
  const on = { onGone: (made: PutIn) => void gone.push(made), onKept: quiet };
  expect(await removeMade(api(), journal.made, on, hasty())).toHaveLength(2);
  expect(gone).toEqual([]);
  await expect(clean()).rejects.toThrow(
    'with status 404: the response is a web page, not an error from n8n; is n8n still starting, or is this not its address?',
  );
  expect(n8n.things).toHaveLength(2);
  expect(written()).toEqual([`${CALL}.json`]);
  n8n.trouble = (_asked, times) => (times < 3 ? { status: 404, isPage: true } : null);
  expect(await removeMade(api(), journal.made, on, hasty())).toEqual([]);
  expect(n8n.things).toEqual([]);
});

test.each([false, true])(
  'what somebody has given another name is theirs: it is kept, and nothing remembers it (read by id: %p)',
  async (isUnread) => {
    await seedsOf().seed([cpu], {}, quiet);
    const put = n8n.things.find(({ kind }) => kind === 'workflow');
    if (put === undefined) throw new Error('nothing was put in');
    if (!isUnread) put.name = 'Our new workflow';
    // A key need not be able to read what it may remove.
    n8n.trouble = (asked) =>
      isUnread && asked.startsWith('GET /workflows/') ? { status: 403 } : null;
    const kept: unknown[] = [];
    expect(await clean((made, name) => kept.push([made.id, name]))).toEqual([]);
    expect(kept).toEqual(isUnread ? [] : [[put.id, 'Our new workflow']]);
    expect(n8n.things).toEqual(isUnread ? [] : [put]);
    expect(put.active).toBe(!isUnread);
    expect(written()).toEqual([]);
  },
);

const STEPS = [
  ...['POST /credentials', 'POST /workflows', 'POST /workflows/:id/activate'],
  ...['POST /workflows/:id/deactivate', 'DELETE /workflows/:id', 'DELETE /credentials/:id'],
];
const reactions = [
  ...[{ status: 503 }, { status: 400 }, { status: 403 }, { status: 404, isPage: true }],
  ...(['no answer, and done', 'no answer, not done'] as const),
];
const cases = STEPS.flatMap((step) =>
  reactions.flatMap((reaction) =>
    [1, 2, Infinity].map((nth) => [step, JSON.stringify(reaction), nth, reaction] as const),
  ),
);

test.each(cases)(
  '%s answered by %s, time %s: nothing of ours stays, all of theirs does',
  async (step, _, nth, reaction) => {
    const theirs = [
      { kind: 'workflow' as const, id: 'theirs', name: 'Load test: sub-workflow', active: true },
      { kind: 'credential' as const, id: 'their-key', name: 'Load test key', active: false },
    ].map((each) => ({ ...each, nodes: [], body: null }));
    n8n.things.push(...theirs);
    const trouble: Trouble = (asked, times) =>
      asked === step && (nth === Infinity || times === nth) ? reaction : null;
    n8n.trouble = trouble;
    const journal = UrlJournal.of(n8n.url, CALL);
    await new ApiSeeds(api(), { journal, key: KEY, warn: quiet })
      .seed(subWorkflow, {}, quiet)
      .catch(quiet);
    // Whatever the call could remove before it was killed.
    await removeMade(
      api(),
      journal.made,
      {
        onGone: (made) => {
          journal.gone(made);
        },
        onKept: quiet,
      },
      hasty(),
    );
    n8n.trouble = () => null;
    expect(await clean()).toEqual([]);
    expect(n8n.things).toEqual(theirs);
    expect(written()).toEqual([]);
  },
);

test('what is to be made is written down before it is asked for, for its owner alone', async () => {
  const seen: string[] = [];
  n8n.trouble = (asked) => {
    if (asked === 'POST /workflows' || asked === 'POST /credentials') {
      seen.push(readFileSync(join(journals(), `${CALL}.json`), 'utf8'));
    }
    return null;
  };
  await seedsOf().seed([cpu], {}, quiet);
  expect(seen).toHaveLength(2);
  expect(JSON.parse(seen[1] ?? '')).toMatchObject({
    ...{ baseUrl: n8n.url, call: CALL },
    made: [
      { kind: 'credential', id: 'id-1' },
      { kind: 'workflow', name: `Load test: cpu (n8n-tuned ${CALL})`, id: null },
    ],
  });
  expect(seen.join()).not.toContain(KEY.value);
  expect(statSync(journals()).mode & 0o777).toBe(0o700);
  expect(statSync(join(journals(), `${CALL}.json`)).mode & 0o777).toBe(0o600);
});

test('a webhook that has an authentication of its own keeps it', async () => {
  await seedsOf().seed([cpu], {}, quiet);
  const put = n8n.things[1]?.body as ExportedWorkflow;
  expect(demandingKey(put, { id: 'own', name: 'own' })).toEqual(put);
});
