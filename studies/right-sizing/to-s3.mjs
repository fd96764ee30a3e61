// Copies what this study recorded to S3 as well, by `n8n-tuned report FOLDER --s3`, and reads every object again. S3 is
// versitygw, a server of its own that is started here on an empty folder and removed afterwards.
//   lab/install.sh versitygw && node studies/right-sizing/to-s3.mjs --from results/study-right-sizing
// Writes s3.json into that folder: what is in S3, and what differs from the folder.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { cache } from '../../lab/cache.mjs';
import { freePort } from '../../lab/free-port.mjs';

const BUCKET = 'studies';
const PREFIX = 'right-sizing';
const COMES_UP_MS = 30_000;

const root = resolve(import.meta.dirname, '../..');
const versitygw = join(cache, 'bin/versitygw');

const { values } = parseArgs({ options: { from: { type: 'string' } } });
if (values.from === undefined) fails('say what to copy, like --from results/study-right-sizing');
if (!existsSync(versitygw)) fails('versitygw is not installed: run lab/install.sh versitygw');
const from = resolve(values.from);

function fails(sentence) {
  console.error(sentence);
  process.exit(2);
}

const server = await startServer();
try {
  const startedAt = new Date().toISOString();
  const began = Date.now();
  const { status } = spawnSync(
    process.execPath,
    ['cli/dist/cli.js', 'report', from, '--s3', `s3://${BUCKET}/${PREFIX}`, '--json'],
    {
      cwd: root,
      env: { ...process.env, ...server.env },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const seconds = (Date.now() - began) / 1000;
  const [folder, stored] = [filesIn(from), await objectsIn(server.client)];
  const record = {
    about: 'Written by studies/right-sizing/to-s3.mjs',
    ...{ startedAt, server: versionOf(versitygw), exitCode: status, seconds },
    ...{ objects: stored.size, bytes: sum([...stored.values()].map(({ bytes }) => bytes)) },
    missing: [...folder.keys()].filter((name) => !stored.has(name)),
    different: [...stored]
      .filter(([name, { hash }]) => folder.get(name)?.hash !== hash)
      .map(([name]) => name),
  };
  writeFileSync(join(from, 's3.json'), `${JSON.stringify(record, null, 2)}\n`);
  const wrong = record.missing.length + record.different.length;
  console.error(`${record.objects} objects in S3, ${wrong} missing or not as in the folder`);
  process.exitCode = status === 0 && wrong === 0 && stored.size > 0 ? 0 : 1;
} finally {
  await server.close();
}

/** Those of records, by their path: the command copies a folder for each sweep. */
function filesIn(folder) {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'sweep.json')));
  const files = names.flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
      .map((file) => join(name, file))
      .filter((file) => statSync(join(folder, file)).isFile()),
  );
  return new Map(files.map((file) => [file, facts(readFileSync(join(folder, file)))]));
}

async function objectsIn(client) {
  const found = new Map();
  let ContinuationToken;
  do {
    const listed = await client.send(
      new ListObjectsV2Command({ Bucket: BUCKET, ContinuationToken }),
    );
    for (const { Key } of listed.Contents ?? []) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
      found.set(Key.slice(PREFIX.length + 1), facts(await Body.transformToByteArray()));
    }
    ContinuationToken = listed.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  return found;
}

function facts(content) {
  return { bytes: content.length, hash: createHash('sha256').update(content).digest('hex') };
}

function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}

function versionOf(program) {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return `versitygw ${/\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? 'unknown'}`;
}

async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 's3-'));
  mkdirSync(join(folder, BUCKET));
  const port = await freePort();
  const env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'study',
    AWS_SECRET_ACCESS_KEY: 'not a secret',
    AWS_REGION: 'us-east-1',
  };
  const child = spawn(
    versitygw,
    [
      ...['--port', `127.0.0.1:${port}`, '--quiet'],
      ...['--access', env.AWS_ACCESS_KEY_ID, '--secret', env.AWS_SECRET_ACCESS_KEY],
      ...['posix', folder],
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise((done) => child.once('close', done));
  const close = async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const giveUpAt = Date.now() + COMES_UP_MS;
  while (!(await answers(env.AWS_ENDPOINT_URL))) {
    if (Date.now() > giveUpAt || child.exitCode !== null) {
      await close();
      fails('versitygw did not come up');
    }
    await sleep(100);
  }
  const client = new S3Client({
    endpoint: env.AWS_ENDPOINT_URL,
    region: env.AWS_REGION,
    credentials: { accessKeyId: env.AWS_ACCESS_KEY_ID, secretAccessKey: env.AWS_SECRET_ACCESS_KEY },
    forcePathStyle: true,
  });
  return { env, client, close };
}

async function answers(url) {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}
