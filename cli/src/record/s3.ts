/** Copies of records in S3, or in anything that speaks like it. */
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { constants, createReadStream, openSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, Mistake } from '../ui/exit';
import { COMPARE_FILE, FIND_FILE, SWEEP_FILE } from './find-records';
import { RECORD_FILE } from './folder';

export interface S3Place {
  client: S3Client;
  bucket: string;
  /** Without slashes at its ends; may be empty. */
  prefix: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * `s3://bucket/prefix`. Credentials, region and endpoint are those of the AWS SDK: of the environment, a profile,
 * a web identity (IRSA), EKS Pod Identity, or the machine. Without any, the user is told before anything is measured.
 */
export async function s3Place(url: string): Promise<S3Place> {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/(.*))?$/.exec(url);
  if (match === null) {
    throw new Mistake(`--s3 is '${url}': write it like s3://bucket/prefix.`);
  }
  const client = await s3Client();
  try {
    await client.config.credentials();
  } catch (error) {
    throw new Mistake(
      `--s3 needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run with a role that may write to ${url} (${messageOf(error)}).`,
    );
  }
  return {
    client,
    bucket: match[1] ?? '',
    prefix: (match[2] ?? '').replaceAll(/^\/+|\/+$/g, ''),
  };
}

/** Loaded only for a copy: the SDK is larger than all the rest. */
async function s3Client(): Promise<S3Client> {
  // Which Node.js is old is not for a copy to say in the middle of a line of progress.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { S3Client: Client } = await import('@aws-sdk/client-s3');
  const { AWS_DEFAULT_REGION, AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_REGION } = process.env;
  const config: S3ClientConfig = {
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
  };
  const region = AWS_REGION ?? AWS_DEFAULT_REGION;
  if (region !== undefined) config.region = region;
  if ((AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined) {
    // Other servers need not have a host name per bucket, nor know Amazon's newer checksums.
    config.forcePathStyle = true;
    config.requestChecksumCalculation = 'WHEN_REQUIRED';
  }
  const client = new Client(config);
  const isKnown = await client.config.region().then(Boolean, () => false);
  return isKnown ? client : new Client({ ...config, region: 'us-east-1' });
}

/** The URL to which the folder of a record is copied. */
export function s3UrlOf({ bucket, prefix }: S3Place, folder: string): string {
  return `s3://${[bucket, prefix, basename(folder)].filter((part) => part !== '').join('/')}`;
}

const RECORD_FILES = [RECORD_FILE, FIND_FILE, COMPARE_FILE, SWEEP_FILE];

/**
 * Copies the folder of a record, its run.json or the like last: what is complete there has everything.
 * Doing it again writes the same again. The folder itself is never touched.
 */
export async function uploadFolder(
  place: S3Place,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const files = filesBeneath(folder).sort(
    (a, b) => Number(RECORD_FILES.includes(a)) - Number(RECORD_FILES.includes(b)),
  );
  for (const file of files) {
    const key = [place.prefix, basename(folder), file].filter((part) => part !== '').join('/');
    await put(place, key, join(folder, file), signal);
  }
}

/** In parts of 5 MiB where it is larger: the requests of a long run are hundreds of megabytes. */
async function put(
  { client, bucket }: S3Place,
  key: string,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const { Upload } = await import('@aws-sdk/lib-storage');
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const body = createReadStream(file, { fd: descriptor });
  const upload = new Upload({
    client,
    params: { Bucket: bucket, Key: key, Body: body, ContentType: typeOf(key) },
  });
  const stop = (): void => {
    void upload.abort();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    await upload.done();
  } catch (error) {
    throw new Error(`s3://${bucket}/${key} was not taken: ${reasonOf(error)}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    body.destroy();
  }
}

/** The server's own word for it, or that of the network. */
function reasonOf(error: unknown): string {
  const { name, code, $metadata } = error as {
    name?: string;
    code?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  if (status !== undefined) return `status ${String(status)} ${name ?? ''}`.trim();
  return messageOf(error) || code || 'unknown';
}

/** No link: what it leads to, such as a key in somebody's home, is no part of the record. */
function filesBeneath(folder: string, under = ''): string[] {
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
    const name = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) return filesBeneath(folder, name);
    return entry.isFile() ? [name] : [];
  });
}

const TYPES: Record<string, string> = {
  json: 'application/json',
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  svg: 'image/svg+xml',
  gz: 'application/gzip',
};

function typeOf(key: string): string {
  return TYPES[key.slice(key.lastIndexOf('.') + 1)] ?? 'text/plain; charset=utf-8';
}
