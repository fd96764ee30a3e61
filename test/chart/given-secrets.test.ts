// Whatever way a user gives n8n a secret, alone or beside another way: what n8n reads is what the user gave, or the chart
// refuses the values. The whole chart is rendered, since its refusals stand in one template of it.
import { isLong, runs } from '../support/properties.ts';
import { SEED } from './support/seed.ts';
import { attempt, chart, KUBERNETES, paths } from './support/helm.ts';
import fc from 'fast-check';
import { parseAllDocuments } from 'yaml';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Values = Record<string, unknown>;

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string } };
}
interface Container {
  name: string;
  env?: Variable[];
  envFrom?: unknown[];
}
interface Deployment {
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  spec: { template: { spec: { containers: Container[]; initContainers?: Container[] } } };
}

const EXTERNAL = {
  executions: { mode: 'queue' },
  webhook: { enabled: true },
  database: { type: 'postgresql', external: { host: 'db', passwordless: true } },
  redis: { external: { host: 'redis' } },
  encryptionKey: { existingSecret: 'any' },
};
const OWN = { executions: { mode: 'queue' }, database: { type: 'postgresql' } };
const REGULAR = {};

interface Secret {
  variable: string;
  /** Without the secret itself. */
  base: Values;
  /** The values of the chart's own that give it. */
  existing: Values;
  value: Values;
  /** n8n does without it where nobody gave it. */
  isOptional?: true;
  /** The one role that reads it. */
  only?: 'main';
}

/** One that the chart makes no value of, and takes from a Secret alone. */
const optional = (variable: string, existing: Values, base: Values = EXTERNAL): Secret => ({
  ...{ variable, base, existing, value: existing, isOptional: true },
});
const inS3 = { host: 's3.test', bucket: 'files', region: 'eu', existingSecret: 'given' };
const inAzure = { account: 'files', container: 'files', existingSecret: 'given' };

const SECRETS: Record<string, Secret> = {
  'the encryption key': {
    variable: 'N8N_ENCRYPTION_KEY',
    base: { ...EXTERNAL, encryptionKey: {} },
    existing: { encryptionKey: { existingSecret: 'given' } },
    value: { encryptionKey: { value: 'given' } },
  },
  'the encryption key beside stores of the chart': {
    variable: 'N8N_ENCRYPTION_KEY',
    base: OWN,
    existing: { encryptionKey: { existingSecret: 'given' } },
    value: { encryptionKey: { value: 'given' } },
  },
  'the encryption key in one process': {
    variable: 'N8N_ENCRYPTION_KEY',
    base: REGULAR,
    existing: { encryptionKey: { existingSecret: 'given' } },
    value: { encryptionKey: { value: 'given' } },
  },
  'the password of PostgreSQL': {
    variable: 'DB_POSTGRESDB_PASSWORD',
    base: { ...EXTERNAL, database: { type: 'postgresql', external: { host: 'db' } } },
    existing: { database: { external: { existingSecret: 'given' } } },
    value: { database: { external: { password: 'given' } } },
  },
  "the password of the chart's PostgreSQL": {
    variable: 'DB_POSTGRESDB_PASSWORD',
    base: OWN,
    existing: { database: { own: { existingSecret: 'given' } } },
    value: { database: { own: { existingSecret: 'given' } } },
  },
  'the password of Redis': {
    variable: 'QUEUE_BULL_REDIS_PASSWORD',
    base: EXTERNAL,
    existing: { redis: { external: { existingSecret: 'given' } } },
    value: { redis: { external: { password: 'given' } } },
  },
  "the password of the chart's Redis": {
    variable: 'QUEUE_BULL_REDIS_PASSWORD',
    base: OWN,
    existing: { redis: { own: { existingSecret: 'given' } } },
    value: { redis: { own: { existingSecret: 'given' } } },
  },
  'the token of the task runner': {
    variable: 'N8N_RUNNERS_AUTH_TOKEN',
    base: { ...OWN, taskRunners: { mode: 'external' } },
    existing: { taskRunners: { authToken: { existingSecret: 'given' } } },
    value: { taskRunners: { authToken: { existingSecret: 'given' } } },
  },
  'the key of a licence': {
    ...optional('N8N_LICENSE_ACTIVATION_KEY', { license: { existingSecret: 'given' } }),
    only: 'main',
  },
  'the address of Sentry': optional('N8N_SENTRY_DSN', { sentry: { existingSecret: 'given' } }),
  'the access key of S3': optional('N8N_EXTERNAL_STORAGE_S3_ACCESS_KEY', {
    binaryData: { mode: 's3', s3: inS3 },
  }),
  'the secret key of S3': optional('N8N_EXTERNAL_STORAGE_S3_ACCESS_SECRET', {
    binaryData: { mode: 's3', s3: inS3 },
  }),
  'the account key of Azure': optional('N8N_EXTERNAL_STORAGE_AZURE_ACCOUNT_KEY', {
    binaryData: { mode: 'azure', azure: inAzure },
  }),
};

const fromSecret = { valueFrom: { secretKeyRef: { name: 'given', key: 'given' } } };
const ROLES = ['main', 'worker', 'webhook'];
/** The ways to give it, each as values. */
const WAYS: Record<string, (secret: Secret) => Values> = {
  existingSecret: ({ existing }) => existing,
  value: ({ value }) => value,
  'env as text': ({ variable }) => ({ env: { [variable]: 'given' } }),
  'env from a Secret': ({ variable }) => ({ env: { [variable]: fromSecret } }),
  'env as a file': ({ variable }) => ({ env: { [`${variable}_FILE`]: '/given' } }),
  'envFrom that is not explained': () => ({ envFrom: [{ secretRef: { name: 'given' } }] }),
  'envFrom with its name': ({ variable }) => ({
    envFrom: [{ secretRef: { name: 'given' } }],
    secretsInEnvFrom: [variable],
  }),
  'envFrom with the name of its file': ({ variable }) => ({
    envFrom: [{ secretRef: { name: 'given' } }],
    secretsInEnvFrom: [`${variable}_FILE`],
  }),
  'env of each role': ({ variable }) =>
    Object.fromEntries(ROLES.map((role) => [role, { env: { [variable]: fromSecret } }])),
  'a file of each role': ({ variable }) =>
    Object.fromEntries(ROLES.map((role) => [role, { env: { [`${variable}_FILE`]: '/given' } }])),
  'env of main alone': ({ variable }) => ({ main: { env: { [variable]: fromSecret } } }),
  'a file of the worker alone': ({ variable }) => ({
    worker: { env: { [`${variable}_FILE`]: '/given' } },
  }),
};

const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function merged(a: Values, b: Values): Values {
  const result = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const below = result[key];
    result[key] = isMap(below) && isMap(value) ? merged(below, value) : value;
  }
  return result;
}

/**
 * Tells where n8n has a secret from, as `readEnv` of @n8n/config 2.41 reads it: the variable if it is there at all, else its file.
 * A variable of `env` stands before one of `envFrom`.
 */
function readBy(container: Container, of: string, values: Values): string | undefined {
  const { env = [], envFrom = [] } = container;
  const within =
    envFrom.length > 0 ? ((values['secretsInEnvFrom'] as string[] | undefined) ?? []) : [];
  for (const name of [of, `${of}_FILE`]) {
    const variable = env.find((each) => each.name === name);
    if (variable !== undefined) {
      return variable.value ?? variable.valueFrom?.secretKeyRef.name;
    }
    if (within.includes(name)) return 'given';
  }
  return undefined;
}

const GIVEN = /^(given|\/given|n8n-n8n-tuned-given-[a-z-]+)$/;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-given-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function rendered(values: Values, name: string): Promise<{ code: number; output: string }> {
  const file = join(folder, `${name.replaceAll(/[^a-z]+/gi, '-')}.yaml`);
  writeFileSync(file, JSON.stringify(values));
  return attempt(join(paths.bin, 'helm3'), [
    'template',
    'n8n',
    chart,
    '--kube-version',
    KUBERNETES,
    '-f',
    file,
  ]);
}

/** What each container that needs it reads, by its place. */
function readings(
  output: string,
  { variable }: Secret,
  values: Values,
): Record<string, string | undefined> {
  const isToken = variable === 'N8N_RUNNERS_AUTH_TOKEN';
  return Object.fromEntries(
    parseAllDocuments(output)
      .map((document) => document.toJS() as Deployment | null)
      .filter((manifest): manifest is Deployment => manifest?.kind === 'Deployment')
      .flatMap(({ metadata, spec: { template } }) => {
        const { containers, initContainers = [] } = template.spec;
        const runner = initContainers.filter(({ name }) => name === 'task-runners');
        // A role without a task runner needs no token.
        if (isToken && runner.length === 0) return [];
        return [...containers, ...(isToken ? runner : [])].map((container) => [
          `${metadata.name} ${container.name}`,
          readBy(container, variable, values),
        ]);
      }),
  );
}

/** In one process there is no worker that could be given anything. */
const waysOf = ({ base }: Secret): [string, (secret: Secret) => Values][] =>
  Object.entries(WAYS).filter(([way]) => base !== REGULAR || !way.includes('worker'));

const isOf = (place: string, role: string): boolean =>
  /n8n-n8n-tuned(-(worker|webhook))? /.exec(place)?.[2] === (role === 'main' ? undefined : role);

const isForAnother = (way: string, place: string): boolean =>
  (way === 'env of main alone' && !isOf(place, 'main')) ||
  (way === 'a file of the worker alone' && !isOf(place, 'worker'));

/** With envFrom alone, and what it holds left open, the chart has no key of its own in any role, and may have passwords. */
const OPEN = 'envFrom that is not explained';

async function expectGiven(what: string, secret: Secret, ways: string[]): Promise<void> {
  const values = ways.reduce(
    (before, way) => merged(before, WAYS[way]?.(secret) ?? {}),
    secret.base,
  );
  const { code, output } = await rendered(values, `${what} ${ways.join(' ')}`);
  if (code !== 0) {
    expect(output).toMatch(/Error: .*(set|keep|take|must be one of) /s);
    return;
  }
  const containers = Object.entries(readings(output, secret, values)).filter(
    ([place]) => secret.only === undefined || isOf(place, secret.only),
  );
  expect(containers.length).toBeGreaterThan(0);
  for (const [place, read] of containers) {
    const isGiven = ways.some(
      (way) => way !== OPEN && !(secret.isOptional && isForAnother(way, place)),
    );
    if (isGiven) expect([place, read]).toEqual([place, expect.stringMatching(GIVEN)]);
    else if (read !== undefined) expect(secret.variable).not.toBe('N8N_ENCRYPTION_KEY');
  }
}

/** Every third way of a secret, and other ones of the next secret: each secret and each way is among them. LONG=1 takes all. */
const STEP = isLong ? 1 : 3;
const kinds = Object.entries(SECRETS).map(([what, secret], number) => {
  const ways = waysOf(secret).filter((_, index) => (index + number) % STEP === 0);
  return { what, secret, ways };
});

test('each secret and each way to give one is among those that are tried', () => {
  expect(kinds.filter(({ ways }) => ways.length < 3)).toEqual([]);
  const tried = new Set(kinds.flatMap(({ ways }) => ways.map(([way]) => way)));
  expect([...tried].sort()).toEqual(Object.keys(WAYS).sort());
});

describe.each(kinds)('$what', ({ what, secret, ways }) => {
  it.each(ways)('by %s is what n8n reads, or is refused', async (way) => {
    await expectGiven(what, secret, [way]);
  });
});

test('n8n reads a secret that the user gave in two ways at once, or the chart refuses it', async () => {
  const pairs = Object.entries(SECRETS).flatMap(([what, secret]) => {
    const ways = waysOf(secret).map(([way]) => way);
    return ways.flatMap((one) => ways.map((other) => ({ what, secret, ways: [one, other] })));
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...pairs), ({ what, secret, ways }) =>
      expectGiven(what, secret, ways),
    ),
    { numRuns: runs(60), seed: SEED },
  );
});
