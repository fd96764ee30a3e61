import { createHash, randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { s3Place, s3UrlOf, uploadFolder } from '../../../cli/src/record/s3';
import { buildCli, runCli } from '../../support/cli';
import { startS3Server, type S3Server } from '../../support/s3-server';
import { freePort } from '../../../cli/src/targets/process/ports';

jest.setTimeout(60_000);

const patience = (): AbortSignal => AbortSignal.timeout(30_000);
const before = { ...process.env };

/** The environment of the SDK is that of the process. */
function given(env: Record<string, string>): void {
  const others = Object.keys(process.env).filter((name) => name.startsWith('AWS_'));
  for (const name of others) Reflect.deleteProperty(process.env, name);
  // No look at the machine's own role, which would wait for an answer that does not come.
  Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true', HOME: '/nonexistent' }, env);
}

afterEach(() => {
  process.env = { ...before };
});

describe('a place in S3', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };

  it('is read from its URL, and its region from the environment', async () => {
    given({ ...keys, AWS_DEFAULT_REGION: 'eu-central-1' });
    const place = await s3Place('s3://runs/n8n/may/');
    expect(place).toMatchObject({ bucket: 'runs', prefix: 'n8n/may' });
    expect(await place.client.config.region()).toBe('eu-central-1');
    expect(s3UrlOf(place, '/results/run-1')).toBe('s3://runs/n8n/may/run-1');
  });

  it('needs credentials, from wherever', async () => {
    given({});
    await expect(s3Place('s3://runs')).rejects.toThrow(
      'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or use a role',
    );
  });
});

describe('copying a run to a real S3 server', () => {
  let folder: string;
  let server: S3Server;
  const files = ['run.json', 'report.html', 'plots/a b+c.svg', 'logs/main.log'];

  beforeAll(async () => {
    buildCli();
    server = await startS3Server();
    folder = join(mkdtempSync(join(tmpdir(), 'runs-')), 'run-1');
    for (const file of files) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), `content of ${file}`);
    }
  });

  afterAll(async () => {
    await server.close();
    rmSync(join(folder, '..'), { recursive: true, force: true });
  });

  it('brings every file, and can be repeated', async () => {
    given(server.env);
    const place = await s3Place('s3://runs/n8n');
    await uploadFolder(place, folder, patience());
    await uploadFolder(place, folder, patience());
    for (const file of files)
      expect(server.content(`n8n/run-1/${file}`)).toBe(`content of ${file}`);
    expect(readdirSync(folder).sort()).toEqual(['logs', 'plots', 'report.html', 'run.json']);
  });

  it('writes over no other record of the same name, and brings the record last', async () => {
    given(server.env);
    const weeks = mkdtempSync(join(tmpdir(), 'sweeps-'));
    const sweepOf = (week: string, file = 'sweep.json'): string => {
      const sweep = join(weeks, week, 'sizes');
      mkdirSync(sweep, { recursive: true });
      writeFileSync(join(sweep, file), JSON.stringify({ id: week, startedAt: '2026-11-01' }));
      writeFileSync(join(sweep, 'z.csv'), week);
      return sweep;
    };
    const place = await s3Place('s3://runs/weekly');
    const keys: unknown[] = [];
    place.client.middlewareStack.add((next, { commandName }) => (args) => {
      if (commandName === 'PutObjectCommand') keys.push((args.input as { Key?: string }).Key);
      return next(args);
    });
    await uploadFolder(place, sweepOf('first'), patience());
    // A sweep that has gone on is the same.
    await uploadFolder(place, sweepOf('first'), patience());
    await expect(uploadFolder(place, sweepOf('second'), patience())).rejects.toThrow(
      's3://runs/weekly/sizes/sweep.json belongs to another record, of 2026-11-01: choose another prefix in --s3',
    );
    expect(server.content('weekly/sizes/z.csv')).toBe('first');
    for (const file of ['proof.json', 'migrate.json']) {
      rmSync(weeks, { recursive: true });
      await uploadFolder(
        { ...place, prefix: `others/${file}` },
        sweepOf('third', file),
        patience(),
      );
      expect(keys.at(-1)).toBe(`others/${file}/sizes/${file}`);
    }
    rmSync(weeks, { recursive: true });
  });

  it('brings no file to which a link in the folder leads', async () => {
    given(server.env);
    const linked = join(mkdtempSync(join(tmpdir(), 'runs-')), 'run-linked');
    mkdirSync(linked);
    writeFileSync(join(linked, 'run.json'), '{}');
    writeFileSync(join(linked, '..', 'id_ed25519'), 'a key');
    symlinkSync(join('..', 'id_ed25519'), join(linked, 'report.html'));
    symlinkSync('..', join(linked, 'logs'));
    await uploadFolder(await s3Place('s3://runs/linked'), linked, patience());
    rmSync(join(linked, '..'), { recursive: true });
    const { Contents = [] } = await (
      await s3Place('s3://runs')
    ).client.send(new ListObjectsV2Command({ Bucket: 'runs', Prefix: 'linked/' }));
    expect(Contents.map(({ Key }) => Key)).toEqual(['linked/run-linked/run.json']);
  });

  it('brings a file of many megabytes in parts, without holding it in memory', async () => {
    given(server.env);
    const large = join(mkdtempSync(join(tmpdir(), 'runs-')), 'run-large');
    mkdirSync(large);
    const content = randomBytes(20 * 1024 * 1024);
    writeFileSync(join(large, 'requests.csv.gz'), content);
    const place = await s3Place('s3://runs');
    await uploadFolder(place, large, patience());
    rmSync(join(large, '..'), { recursive: true });
    const key = 'run-large/requests.csv.gz';
    const head = await place.client.send(new HeadObjectCommand({ Bucket: 'runs', Key: key }));
    expect(head).toMatchObject({ ContentLength: content.length, ContentType: 'application/gzip' });
    // The ETag of an object that came in three parts.
    expect(head.ETag).toMatch(/-3"$/);
    const hash = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');
    expect(hash(server.bytes(key))).toBe(hash(content));
  });

  it('takes the credentials of a profile', async () => {
    const { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = server.env;
    const file = join(folder, '..', 'credentials');
    writeFileSync(
      file,
      `[load]\naws_access_key_id = ${AWS_ACCESS_KEY_ID ?? ''}\naws_secret_access_key = ${AWS_SECRET_ACCESS_KEY ?? ''}\n`,
    );
    given({
      AWS_ENDPOINT_URL: AWS_ENDPOINT_URL ?? '',
      AWS_SHARED_CREDENTIALS_FILE: file,
      AWS_PROFILE: 'load',
    });
    await uploadFolder(await s3Place('s3://runs/profile'), folder, patience());
    expect(server.content('profile/run-1/run.json')).toBe('content of run.json');
  });

  it('takes the credentials of a service account in Kubernetes (IRSA)', async () => {
    const sts = await startTokenService();
    const token = join(folder, '..', 'token');
    writeFileSync(token, 'a token of the service account');
    given({
      AWS_ENDPOINT_URL_STS: sts.url,
      AWS_REGION: 'us-east-1',
      AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/load-tests',
      AWS_WEB_IDENTITY_TOKEN_FILE: token,
    });
    const { client } = await s3Place('s3://runs/irsa');
    await sts.close();
    expect(sts.asked()).toContain('WebIdentityToken=a%20token%20of%20the%20service%20account');
    expect(await client.config.credentials()).toMatchObject(TEMPORARY);
  });

  it('with the wrong key fails, and says why', async () => {
    given({ ...server.env, AWS_SECRET_ACCESS_KEY: 'wrong' });
    const place = await s3Place('s3://runs');
    await expect(uploadFolder(place, folder, patience())).rejects.toThrow(
      'status 403 SignatureDoesNotMatch',
    );
  });

  it('into a bucket that is not there fails, and says why', async () => {
    given(server.env);
    const place = await s3Place('s3://nowhere');
    await expect(uploadFolder(place, folder, patience())).rejects.toThrow('NoSuchBucket');
  });

  it('fails where nothing listens, and leaves the folder as it is', async () => {
    given({ ...server.env, AWS_ENDPOINT_URL: `http://127.0.0.1:${String(await freePort())}` });
    const place = await s3Place('s3://runs');
    await expect(uploadFolder(place, folder, patience())).rejects.toThrow('ECONNREFUSED');
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).toContain(file);
  });

  it('ends at once when it is broken off', async () => {
    given(server.env);
    const place = await s3Place('s3://runs');
    await expect(uploadFolder(place, folder, AbortSignal.abort('Ctrl-C'))).rejects.toThrow(
      'could not be written: Ctrl-C',
    );
  });

  it('broken off in the middle leaves no parts in the bucket', async () => {
    given(server.env);
    const large = join(mkdtempSync(join(tmpdir(), 'runs-')), 'run-stopped');
    mkdirSync(large);
    writeFileSync(join(large, 'requests.csv.gz'), randomBytes(20 * 1024 * 1024));
    const place = await s3Place('s3://runs');
    const stop = new AbortController();
    place.client.middlewareStack.add((next, { commandName }) => async (args) => {
      const answer = await next(args);
      if (commandName === 'UploadPartCommand') stop.abort('Ctrl-C');
      return answer;
    });
    await expect(uploadFolder(place, large, stop.signal)).rejects.toThrow(
      'could not be written: Ctrl-C',
    );
    rmSync(join(large, '..'), { recursive: true });
    const { Uploads = [] } = await place.client.listMultipartUploads({ Bucket: 'runs' });
    expect(Uploads).toEqual([]);
  });

  it('is refused before any work when the place makes no sense', async () => {
    const { code, stderr } = await runCli(['report', folder, '--s3', 'runs/n8n'], server.env);
    expect(code).toBe(2);
    expect(stderr).toContain('use a form such as s3://bucket/prefix');
  });
});

const TEMPORARY = {
  accessKeyId: 'ASIAEXAMPLE',
  secretAccessKey: 'for an hour',
  sessionToken: 'session',
};

/** Stands in for Amazon's STS, which nobody has here: gives keys for a token, as IRSA has it. */
async function startTokenService(): Promise<{
  url: string;
  asked(): string;
  close(): Promise<void>;
}> {
  let asked = '';
  const server: Server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      asked += chunk.toString();
    });
    request.on('end', () => {
      response.setHeader('content-type', 'text/xml');
      response.end(
        `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${TEMPORARY.accessKeyId}</AccessKeyId><SecretAccessKey>${TEMPORARY.secretAccessKey}</SecretAccessKey><SessionToken>${TEMPORARY.sessionToken}</SessionToken><Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    asked: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
