// Copies what this study recorded to S3 as well, by `n8n-tuned report FOLDER --s3`, and reads every object again. S3 is
// versitygw, a server of its own that is started here on an empty folder and removed afterwards.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { NotMeasured, type Part, type Study } from '../../cli/src/features/study/study';
import { labPaths } from '../../cli/src/lab/paths';
import { freePort } from '../../cli/src/targets/process/ports';

const BUCKET = 'studies';
const PREFIX = 'right-sizing';
const COMES_UP_MS = 30_000;
const versitygw = join(labPaths().bin, 'versitygw');

const parts: Part[] = [{ name: 's3', seconds: 30 }];

export default {
  parts,
  quickParts: parts,
  async measured(_part, { show, folder }) {
    const server = await startServer();
    try {
      const began = Date.now();
      const words = ['report', folder, '--s3', `s3://${BUCKET}/${PREFIX}`, '--json'];
      const exitCode = await show(words, { env: server.env });
      const seconds = (Date.now() - began) / 1000;
      const [files, stored] = [filesIn(folder), await objectsIn(server.client)];
      if (stored.size === 0) throw new NotMeasured('nothing was copied: its sweeps come before it');
      const missing = [...files.keys()].filter((name) => !stored.has(name));
      const different = [...stored]
        .filter(([name, { hash }]) => files.get(name)?.hash !== hash)
        .map(([name]) => name);
      const bytes = [...stored.values()].reduce((sum, one) => sum + one.bytes, 0);
      return {
        record: {
          ...{ server: versionOf(versitygw), exitCode, seconds, objects: stored.size, bytes },
          ...{ missing, different },
        },
        sentence: `${String(stored.size)} objects in S3, ${String(missing.length + different.length)} missing or not as in the folder`,
      };
    } finally {
      await server.close();
    }
  },
} satisfies Study;

/** Those of records, by their path: the command copies a folder for each sweep. */
function filesIn(folder: string): Map<string, Facts> {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'sweep.json')));
  const files = names.flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
      .map((file) => join(name, file))
      .filter((file) => statSync(join(folder, file)).isFile()),
  );
  return new Map(files.map((file) => [file, facts(readFileSync(join(folder, file)))]));
}

async function objectsIn(client: S3Client): Promise<Map<string, Facts>> {
  const found = new Map<string, Facts>();
  let ContinuationToken: string | undefined;
  do {
    const listed = await client.send(
      new ListObjectsV2Command({ Bucket: BUCKET, ContinuationToken }),
    );
    for (const { Key = '' } of listed.Contents ?? []) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
      found.set(
        Key.slice(PREFIX.length + 1),
        facts((await Body?.transformToByteArray()) ?? new Uint8Array()),
      );
    }
    ContinuationToken = listed.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  return found;
}

interface Facts {
  bytes: number;
  hash: string;
}

function facts(content: Uint8Array): Facts {
  return { bytes: content.length, hash: createHash('sha256').update(content).digest('hex') };
}

function versionOf(program: string): string {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return `versitygw ${/\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? 'unknown'}`;
}

async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 's3-'));
  mkdirSync(join(folder, BUCKET));
  const port = await freePort();
  const env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${String(port)}`,
    AWS_ACCESS_KEY_ID: 'study',
    AWS_SECRET_ACCESS_KEY: 'not a secret',
    AWS_REGION: 'us-east-1',
  };
  const child = spawn(
    versitygw,
    [
      ...['--port', `127.0.0.1:${String(port)}`, '--quiet'],
      ...['--access', env.AWS_ACCESS_KEY_ID, '--secret', env.AWS_SECRET_ACCESS_KEY],
      ...['posix', folder],
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'close');
  const close = async (): Promise<void> => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const giveUpAt = Date.now() + COMES_UP_MS;
  while (!(await answers(env.AWS_ENDPOINT_URL))) {
    if (Date.now() > giveUpAt || child.exitCode !== null) {
      await close();
      throw new NotMeasured('versitygw did not come up');
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

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}
