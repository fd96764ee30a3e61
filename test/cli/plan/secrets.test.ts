import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMasked, maskOf } from '../../../cli/src/plan/secrets/mask';
import { chooseWorkload } from '../../../cli/src/plan/chosen-workload';
import { withoutSecretParts } from '../../../cli/src/plan/secrets/address';
import { isShownOption, shownProcess, withoutSecrets } from '../../../cli/src/plan/secrets/command';
import {
  foreignWithoutSecrets,
  valuesWithoutSecrets,
  type ValuesSchema,
} from '../../../cli/src/plan/secrets/values';
import { isHarmlessVariable } from '../../../cli/src/plan/secrets/variables';
import {
  environmentWithoutSecrets,
  serverWithoutSecrets,
  topologyWithoutSecrets,
} from '../../../cli/src/plan/secrets/secrets';
import { serverSchema } from '../../../cli/src/plan/server';
import { topologySchema } from '../../../cli/src/plan/topology';
import { programOf } from '../../../cli/src/program';
import { runs } from '../../support/properties';
import { secrets } from '../../support/secret';

const root = join(__dirname, '../../..');
const hash = expect.stringMatching(/^\*{3}:[0-9a-f]{12}$/) as string;
const CASES = { numRuns: runs(1000) };

describe('a variable of the environment', () => {
  test.each([
    ['N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED', '5'],
    ['N8N_LOG_LEVEL', 'warn'],
    ['N8N_DIAGNOSTICS_ENABLED', 'false'],
    ['GENERIC_TIMEZONE', 'Europe/Berlin'],
    ['NODE_OPTIONS', '--max-old-space-size=4096 --max-semi-space-size=64'],
    ['SOMETHING_OF_MINE', 'true'],
  ])('%s=%s is shown', (name, value) => {
    expect(environmentWithoutSecrets({ [name]: value })).toEqual({ [name]: value });
  });

  test.each([
    ['N8N_SMTP_PASS', 's3cret'],
    ['HTTP_PROXY', 'http://me:s3cret@proxy'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=x'],
    ['N8N_LICENSE_CERT', 'eyJsaWNlbnNl'],
    ['PIN', '4711'],
    ['DB_POSTGRESDB_PASSWORD', '12345678'],
    ['N8N_LOG_LEVEL', 'hunter2'],
    ['NODE_OPTIONS', '--require=/home/me/hunter2.js'],
  ])('%s=%s is known by its name alone', (name, value) => {
    expect(environmentWithoutSecrets({ [name]: value })).toEqual({ [name]: hash });
  });

  const name = fc.stringMatching(/^[A-Z][A-Z0-9_]{1,20}$/);
  const known = fc.constantFrom(
    'N8N_ENCRYPTION_KEY',
    'N8N_SMTP_HOST',
    'WEBHOOK_URL',
    'DB_POSTGRESDB_HOST',
    'N8N_LOG_LEVEL',
    'NODE_OPTIONS',
    'TZ',
    'N8N_TUNED_WITHOUT',
  );

  test('keeps no secret, of any name, in whatever part of a topology or a server it is', () => {
    const env = fc.dictionary(fc.oneof(name, known), secrets, { minKeys: 1, maxKeys: 4 });
    fc.assert(
      fc.property(env, env, env, env, (all, main, workers, webhooks) => {
        const given = [all, main, workers, webhooks].flatMap(Object.entries);
        fc.pre(given.every(([each, value]) => !isHarmlessVariable(each, String(value))));
        const topology = topologySchema.parse({
          env: all,
          main: { env: main },
          workers: { env: workers },
          webhooks: { env: webhooks },
        });
        const server = serverSchema.parse({ command: 'node x.js', url: 'http://a', env: all });
        const recorded = JSON.stringify([
          topologyWithoutSecrets(topology),
          serverWithoutSecrets(server),
        ]);
        for (const [each, value] of given) {
          expect(recorded).toContain(each);
          expect(recorded).not.toContain(String(value));
        }
      }),
      CASES,
    );
  });
});

describe('a mask', () => {
  test('is the same of equal values, another of others, and tells neither value nor length', () => {
    fc.assert(
      fc.property(secrets, secrets, (a, b) => {
        expect(maskOf(a) === maskOf(b)).toBe(a === b);
        expect(maskOf(a)).toEqual(hash);
      }),
    );
  });

  test.each([
    '***',
    '***:0123456789ab',
    'redis://***@store:6379',
    'postgres://db/n8n?password=***',
  ])('is known as such: %s', (value) => {
    expect(isMasked(value)).toBe(true);
  });

  test.each(['5', '0 */5 * * *', '***bold***'])('is not seen in %s', (value) => {
    expect(isMasked(value)).toBe(false);
  });
});

describe('the command', () => {
  test('has no option with a value of which nobody has decided whether it is shown', () => {
    const commands = [programOf(), ...programOf().commands];
    const undecided = commands.flatMap((command) =>
      command.options
        .filter(
          (option) =>
            (option.required || option.optional) &&
            !option.hidden &&
            !isShownOption(option.long ?? ''),
        )
        .map((option) => `${command.name()} ${option.flags}`),
    );
    expect(undecided).toEqual([]);
  });

  test.each([
    [
      ['--header', 'Authorization: Bearer x'],
      ['--header', 'Authorization:***'],
    ],
    [
      ['--header', 'Content-Type: text/plain'],
      ['--header', 'Content-Type: text/plain'],
    ],
    [['--header=X-Key: x'], ['--header=X-Key:***']],
    [
      ['--body', '{"a":1}'],
      ['--body', '***'],
    ],
    [
      ['--body', '@order.json'],
      ['--body', '@order.json'],
    ],
    [
      ['--env', 'N8N_LOG_LEVEL=warn', '--env=MINE=x'],
      ['--env', 'N8N_LOG_LEVEL=warn', '--env=MINE=***'],
    ],
    [
      ['--param', 'n=5000', '--param', 'token=x'],
      ['--param', 'n=5000', '--param', 'token=***'],
    ],
    [
      ['--expect', 'status==200', '--expect', 'json.ok==true', '--expect', 'json.key==x'],
      ['--expect', 'status==200', '--expect', 'json.ok==true', '--expect', 'json.key==***'],
    ],
    [
      ['--url', 'http://me:x@host/', '--request', 'POST /webhook/a?n=5&sig=x'],
      ['--url', 'http://***@host/', '--request', 'POST /webhook/a?n=5&sig=***'],
    ],
    [
      ['--command', 'TOKEN=x exec node server.js --port 3000 -p secret'],
      ['--command', 'TOKEN=*** exec node server.js --port 3000 -p ***'],
    ],
    [
      ['--begin', 'kubectl scale --replicas=0 && redis-cli -a secret ping'],
      ['--begin', 'kubectl *** *** && redis-cli -a *** ***'],
    ],
    [
      ['compare', 'a.yaml', 'http://me:x@host', '--rate', '50', '--json', '--slo', 'p95<300ms'],
      ['compare', 'a.yaml', 'http://***@host', '--rate', '50', '--json', '--slo', 'p95<300ms'],
    ],
    [
      ['--not-known', 'x'],
      ['--not-known', '***'],
    ],
  ])('%j becomes %j', (words, kept) => {
    expect(withoutSecrets(words)).toEqual(kept);
  });

  const url = (secret: string) =>
    fc.constantFrom(
      `https://me:${encodeURIComponent(secret)}@host/a`,
      `postgres://me:${secret}@host/a`,
      `https://${encodeURIComponent(secret)}@host/a`,
      `redis://:${secret}@host:6379/0`,
      `postgres://host/n8n?password=${encodeURIComponent(secret)}`,
      `http://host/a?n=5&sig=${encodeURIComponent(secret)}&mib=2`,
      `http://host/a?${encodeURIComponent(secret)}`,
      `http://host/a#access_token=${encodeURIComponent(secret)}`,
    );
  const words = secrets.chain((secret) =>
    fc
      .oneof(
        fc.constantFrom(
          ['--header', `X-Api-Key: ${secret}`],
          [`--header=authorization:Bearer ${secret}`],
          ['--header', secret],
          ['--body', `{"password":"${secret}"}`],
          [`--body=${secret}`],
          ['--env', `MY_OWN=${secret}`],
          ['--env', secret],
          ['--param', `connection=${secret}`],
          ['--param', secret],
          ['--expect', `json.token==${secret}`],
          ['--expect', `body~"${secret}"`],
          ['--command', `node server.js --key ${secret}`],
          ['--command', `API_KEY=${secret} node server.js`],
          ['--api-key', secret],
          [`--of-a-later-version=${secret}`],
        ),
        url(secret).chain((one) =>
          fc.constantFrom(
            ['--url', one],
            [`--url=${one}`],
            ['--request', `POST ${one}`],
            ['--prometheus', one],
            [`--redis=${one}`],
            ['compare', one, 'b.yaml'],
            ['--s3', one],
          ),
        ),
      )
      .map((part) => ({ secret, part })),
  );

  test('names the files, folders and records of this machine as they are, so that the user finds them again', () => {
    const options = 'chart continue csv database from image kubeconfig out values workload write';
    const named = options.split(' ').map((name) => `--${name}`);
    // It looks like a token.
    const folder = '/tmp/n8n-tuned-cluster-aB3xYz/order.twin.json';
    for (const name of named) expect(withoutSecrets(['run', name, folder])).toContain(folder);
    const option = fc.constantFrom(...named, '-f');
    const part = fc.stringMatching(/^[A-Za-z0-9._-]{1,40}$/);
    fc.assert(
      fc.property(option, fc.array(part, { minLength: 1, maxLength: 4 }), (name, parts) => {
        const file = `/${parts.join('/')}`;
        for (const words of [
          ['run', name, file],
          ['run', `${name}=${file}`],
          ['compare', file, file],
          ['report', `${file}.jsonl.gz#${parts.join('/')}`],
          ['predict', '--from', `${file}.jsonl.gz#${parts.join('/')}`],
        ]) {
          expect(withoutSecrets(words)).toEqual(words);
        }
      }),
      CASES,
    );
  });

  test('is recorded without any secret, wherever it stands', () => {
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 5 }), (parts) => {
        const recorded = withoutSecrets(['run', ...parts.flatMap(({ part }) => part)]).join('\n');
        for (const { secret } of parts) {
          expect(recorded).not.toContain(secret);
          expect(recorded).not.toContain(encodeURIComponent(secret));
        }
      }),
      CASES,
    );
  });
});

describe('an address', () => {
  test("shows n8n's own paths, and hides a token that is a part of one", () => {
    const webhook = '/webhook/5d0c6d0e-3a51-4d0a-9a51-0c1f6b1c7a02/orders';
    expect(withoutSecretParts(`POST ${webhook}?ms=20`)).toBe(`POST ${webhook}?ms=20`);
    expect(withoutSecretParts('/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/send')).toBe(
      '/***/send',
    );
  });
});

describe('a request of the user', () => {
  test('is recorded without the secrets of its query, its headers, its body and its expectations', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const { recorded } = chooseWorkload(
          {
            request: `POST /webhook/order?sig=${encodeURIComponent(secret)}`,
            headers: [`authorization: ${secret}`],
            body: `{"key":"${secret}"}`,
            expect: ['status==200', `json.key==${secret}`],
          },
          join(root, 'workflows'),
          null,
        );
        expect(JSON.stringify(recorded)).not.toContain(encodeURIComponent(secret));
        expect(JSON.stringify(recorded)).not.toContain(secret);
      }),
    );
  });
});

describe('values of a chart', () => {
  const schema = JSON.parse(
    readFileSync(join(root, 'charts/n8n-tuned/values.schema.json'), 'utf8'),
  ) as ValuesSchema;
  const ours = (values: object): unknown => valuesWithoutSecrets(values, schema);

  test('of ours stay where the schema marks them', () => {
    const values = {
      preset: 'small',
      image: { repository: 'n8nio/n8n', tag: '2.41.1' },
      worker: { replicas: 2, resources: { limits: { memory: '1536Mi', cpu: '500m' } } },
      tuning: { profile: 'throughput', logLevel: null },
      heap: { oldSpace: '1/2' },
      monitoring: { enabled: true },
      env: { N8N_LOG_LEVEL: 'warn', QUEUE_WORKER_LOCK_DURATION: 60000 },
    };
    expect(ours(values)).toEqual(values);
  });

  test('of ours keep their keys, and all else is masked', () => {
    expect(
      ours({
        encryptionKey: { value: 'k', existingSecret: 'mine' },
        redis: { external: { password: 'p', host: 'redis' } },
        env: { N8N_SMTP_PASS: 'x', MINE: { valueFrom: { secretKeyRef: { name: 'n' } } } },
        worker: { env: { PIN: 4711 } },
        pod: { sidecars: [{ name: 'a', env: [{ name: 'TOKEN', value: 'x' }] }] },
        extraManifests: ['kind: Secret'],
        unknown: { deep: ['x', 5] },
      }),
    ).toEqual({
      encryptionKey: { value: hash, existingSecret: hash },
      redis: { external: { password: hash, host: hash } },
      env: { N8N_SMTP_PASS: hash, MINE: { valueFrom: { secretKeyRef: { name: hash } } } },
      worker: { env: { PIN: hash } },
      pod: { sidecars: [{ name: hash, env: [{ name: hash, value: hash }] }] },
      extraManifests: [hash],
      unknown: { deep: [hash, hash] },
    });
  });

  test('of another chart are their keys, what Kubernetes itself gives a meaning, and masks', () => {
    expect(
      foreignWithoutSecrets({
        encryptionKey: 'k',
        replicaCount: 2,
        image: { repository: 'r/n', tag: '2.41.1' },
        main: { resources: { limits: { cpu: '1', memory: '1Gi' } }, auth: 'x', port: 5678 },
        extraEnvVars: [
          { name: 'DB_POSTGRESDB_PASSWORD', value: 'hunter2' },
          { name: 'DB_POSTGRESDB_POOL_SIZE', value: '10' },
        ],
        config: 'db:\n  password: x',
        ingress: { enabled: false },
      }),
    ).toEqual({
      encryptionKey: hash,
      replicaCount: 2,
      image: { repository: hash, tag: '2.41.1' },
      main: { resources: { limits: { cpu: '1', memory: '1Gi' } }, auth: hash, port: hash },
      extraEnvVars: [
        { name: 'DB_POSTGRESDB_PASSWORD', value: hash },
        { name: 'DB_POSTGRESDB_POOL_SIZE', value: '10' },
      ],
      config: hash,
      ingress: { enabled: false },
    });
  });

  /** Paths of the schema at which a text may stand that is neither of a list nor marked. */
  function* unmarked(shape: ValuesSchema, path: string[] = []): Generator<string[]> {
    if (shape['x-recorded'] === 'variables') {
      yield [...path, 'MINE'];
      return;
    }
    for (const one of shape.anyOf ?? []) yield* unmarked(one, path);
    if (shape.items !== undefined) yield* unmarked(shape.items, [...path, '0']);
    for (const [name, part] of Object.entries(shape.properties ?? {})) {
      yield* unmarked(part, [...path, name]);
    }
    if (typeof shape.additionalProperties === 'object') {
      yield* unmarked(shape.additionalProperties, [...path, 'any']);
    }
    const isText = [shape.type].flat().includes('string') && shape.enum === undefined;
    const isAny = shape.type === 'object' && shape.properties === undefined;
    if ((isText && shape['x-recorded'] === undefined) || Object.keys(shape).length === 0)
      yield path;
    else if (isAny && shape.additionalProperties === undefined) yield [...path, 'any'];
  }

  const places = [...unmarked(schema)];

  function planted(path: readonly string[], value: unknown): unknown {
    const [first, ...rest] = path;
    if (first === undefined) return value;
    return first === '0' ? [planted(rest, value)] : { [first]: planted(rest, value) };
  }

  const trees = secrets.chain((secret) =>
    fc
      .letrec<{ tree: unknown }>((tie) => ({
        tree: fc.oneof(
          { maxDepth: 3, withCrossShrink: true },
          fc.constantFrom(secret, `a ${secret} b`, `key: ${secret}\n`, [secret], { deep: secret }),
          fc.dictionary(
            fc.constantFrom(
              'value',
              'auth',
              'tag',
              'env',
              'resources',
              'limits',
              'image',
              'A_B',
              'existingSecret',
              'x',
            ),
            tie('tree'),
            { maxKeys: 3 },
          ),
          fc.array(
            fc.record({
              name: fc.constantFrom('A_B', 'N8N_LOG_LEVEL', secret),
              value: tie('tree'),
            }),
            { maxLength: 2 },
          ),
        ),
      }))
      .tree.map((tree) => ({ secret, tree })),
  );

  test('an amount of CPU, memory or storage is shown with its unit, and a row of digits nowhere in resources', () => {
    const limits = { cpu: 2, memory: '1.5Gi', 'ephemeral-storage': '500M' };
    const rows = { cpu: '7799429131', memory: 7799429131, 'ephemeral-storage': '77994291Gi' };
    expect(foreignWithoutSecrets({ resources: { limits, requests: rows } })).toEqual({
      resources: { limits, requests: { cpu: hash, memory: hash, 'ephemeral-storage': hash } },
    });
    expect(foreignWithoutSecrets({ resources: { limits: { deep: '2' } } })).toEqual({
      resources: { limits: { deep: hash } },
    });
  });

  test('hold no secret, at whatever place of our chart or of another it stands', () => {
    expect(places.length).toBeGreaterThan(200);
    fc.assert(
      fc.property(fc.constantFrom(...places), trees, (path, { secret, tree }) => {
        const values = planted(path, tree) as object;
        expect(JSON.stringify(ours(values))).not.toContain(secret);
        expect(JSON.stringify(foreignWithoutSecrets(values))).not.toContain(secret);
        expect(JSON.stringify(ours({ ofNobody: tree }))).not.toContain(secret);
      }),
      CASES,
    );
  });
});

test.each([
  ['redis-server --requirepass s3cret --port 6379', 'redis-server --requirepass *** --port 6379'],
  ['redis-server *:6379', 'redis-server *:6379'],
  ['node app.js --db postgres://u:pw@h/db', 'node app.js --db postgres://***@h/db'],
  ['node app.js postgres://u:pw@h/db', 'node app.js postgres://***@h/db'],
  [
    'node /opt/n8n/bin/n8n worker --concurrency=10',
    'node /opt/n8n/bin/n8n worker --concurrency=10',
  ],
  ['node --max-old-space-size=512 server.js', 'node --max-old-space-size=512 server.js'],
  ['app --password=1234 --pin 99 --token 12', 'app --password=*** --pin 99 --token ***'],
  ['mysql -u root -ps3cret -p 4', 'mysql -u *** -p*** -p 4'],
  ['sh -c PGPASSWORD=s3cret psql mine', 'sh -c PGPASSWORD=*** *** ***'],
  ['postgres: n8n n8n 127.0.0.1(4444) idle', 'postgres: n8n n8n 127.0.0.1(4444) idle'],
  ['redis-cli auth s3cret', 'redis-cli auth ***'],
  [
    'curl -H Authorization: Bearer abc https://h/x?key=1',
    'curl -H *** *** *** https://h/x?key=***',
  ],
  ['redis-cli -a 1234', 'redis-cli -a ***'],
  ['', ''],
])('a process of somebody else is shown as %j: %j', (line, shown) => {
  expect(shownProcess(line)).toBe(shown);
});
