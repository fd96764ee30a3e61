import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { s3Place, s3UrlOf, uploadFolder } from '../../../capacity/src/record/s3';
import { signed } from '../../../capacity/src/record/s3-sign';
import { buildCli, runCli } from '../../support/cli';
import { freePort, startS3Server, type S3Server } from '../../support/s3-server';

jest.setTimeout(60_000);

describe('the signature', () => {
  it('is that of the worked example in the documentation of Signature Version 4', () => {
    const headers = signed(
      {
        method: 'GET',
        url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
        headers: { Range: 'bytes=0-9' },
        body: new Uint8Array(),
      },
      {
        accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
        secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
        region: 'us-east-1',
      },
      new Date('2013-05-24T00:00:00Z'),
    );
    expect(headers['authorization']).toContain(
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });
});

describe('a place in S3', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };

  it('is read from its URL and the environment', () => {
    const place = s3Place('s3://runs/n8n/may/', { ...keys, AWS_REGION: 'eu-central-1' });
    expect(place).toMatchObject({
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      bucket: 'runs',
      prefix: 'n8n/may',
    });
    expect(s3UrlOf(place, '/results/run-1')).toBe('s3://runs/n8n/may/run-1');
  });

  it('needs credentials', () => {
    expect(() => s3Place('s3://runs', {})).toThrow(
      'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
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
    const place = s3Place('s3://runs/n8n', server.env);
    await uploadFolder(place, folder, AbortSignal.timeout(30_000));
    await uploadFolder(place, folder, AbortSignal.timeout(30_000));
    for (const file of files)
      expect(server.content(`n8n/run-1/${file}`)).toBe(`content of ${file}`);
    expect(readdirSync(folder).sort()).toEqual(['logs', 'plots', 'report.html', 'run.json']);
  });

  it('with the wrong key fails, and says why', async () => {
    const place = s3Place('s3://runs', { ...server.env, AWS_SECRET_ACCESS_KEY: 'wrong' });
    await expect(uploadFolder(place, folder, AbortSignal.timeout(30_000))).rejects.toThrow(
      'status 403 SignatureDoesNotMatch',
    );
  });

  it('into a bucket that is not there fails, and says why', async () => {
    const place = s3Place('s3://nowhere', server.env);
    await expect(uploadFolder(place, folder, AbortSignal.timeout(30_000))).rejects.toThrow(
      'NoSuchBucket',
    );
  });

  it('fails where nothing listens, and leaves the folder as it is', async () => {
    const place = s3Place('s3://runs', {
      ...server.env,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${String(await freePort())}`,
    });
    await expect(uploadFolder(place, folder, AbortSignal.timeout(30_000))).rejects.toThrow(
      'ECONNREFUSED',
    );
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).toContain(file);
  });

  it('is refused before any work when the place makes no sense', async () => {
    const { code, stderr } = await runCli(['report', folder, '--s3', 'runs/n8n'], server.env);
    expect(code).toBe(2);
    expect(stderr).toContain('write it like s3://bucket/prefix');
  });
});
