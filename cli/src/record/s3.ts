/** Copies of records in S3, or in anything that speaks like it. */
import type { CompletedPart, S3, S3ClientConfig } from '@aws-sdk/client-s3';
import { constants, readdirSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { Failure, messageOf, Mistake } from '../ui/exit';
import { isRecordFile } from './find-records';
import { HEAD_FILE } from './folder';

export interface S3Place {
  client: S3;
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
    throw new Mistake(`--s3 is '${url}': use a form such as s3://bucket/prefix.`);
  }
  const client = await s3Client();
  try {
    await client.config.credentials();
  } catch (error) {
    throw new Mistake(
      `--s3 requires credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or use a role with permission to write to ${url} (${messageOf(error)}).`,
    );
  }
  return {
    client,
    bucket: match[1] ?? '',
    prefix: (match[2] ?? '').replaceAll(/^\/+|\/+$/g, ''),
  };
}

/** Loaded only for a copy: the SDK is larger than all the rest. */
async function s3Client(): Promise<S3> {
  // Which Node.js is old is not for a copy to say in the middle of a line of progress.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { S3: Client } = await import('@aws-sdk/client-s3');
  const { AWS_DEFAULT_REGION, AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_REGION } = process.env;
  const config: S3ClientConfig = {
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    // Other servers need not know Amazon's newer checksums; the signature holds a hash of the content in any case.
    requestChecksumCalculation: 'WHEN_REQUIRED',
  };
  const region = AWS_REGION ?? AWS_DEFAULT_REGION;
  if (region !== undefined) config.region = region;
  if ((AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined) {
    // Other servers need not have a host name per bucket.
    config.forcePathStyle = true;
  }
  const client = new Client(config);
  const isKnown = await client.config.region().then(Boolean, () => false);
  return isKnown ? client : new Client({ ...config, region: 'us-east-1' });
}

/** The URL to which the folder of a record is copied. */
export function s3UrlOf({ bucket, prefix }: S3Place, folder: string): string {
  return `s3://${[bucket, prefix, basename(folder)].filter((part) => part !== '').join('/')}`;
}

/** What is there only once the record is whole. */
const isWhole = (file: string): boolean => isRecordFile(file) && file !== HEAD_FILE;

/**
 * Copies the folder of a record, its run.json or the like last: what is complete there has everything.
 * Doing it again writes the same again; another record of the same name stays. The folder itself is never touched.
 */
export async function uploadFolder(
  place: S3Place,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const files = filesBeneath(folder).sort((a, b) => Number(isWhole(a)) - Number(isWhole(b)));
  const keyOf = (file: string): string =>
    [place.prefix, basename(folder), file].filter((part) => part !== '').join('/');
  for (const file of files.filter(isWhole)) {
    await refuseOther(place, keyOf(file), join(folder, file), signal);
  }
  for (const file of files) await put(place, keyOf(file), join(folder, file), signal);
}

const nameSchema = z.looseObject({ id: z.string().optional(), startedAt: z.string().optional() });
type RecordName = z.infer<typeof nameSchema>;

/** Null for what is no record. */
function nameIn(text: string): RecordName | null {
  try {
    return nameSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A sweep has the name of its plan, week after week. */
async function refuseOther(
  { client, bucket }: S3Place,
  key: string,
  path: string,
  abortSignal: AbortSignal,
): Promise<void> {
  const there = await client.getObject({ Bucket: bucket, Key: key }, { abortSignal }).then(
    async ({ Body }) => nameIn((await Body?.transformToString()) ?? ''),
    (error: unknown) => {
      // There is none, or this user may only write.
      if (abortSignal.aborted || [403, 404].includes(statusOf(error) ?? 0)) return null;
      throw new Failure(`s3://${bucket}/${key} could not be written: ${reasonOf(error)}`);
    },
  );
  const own = nameIn(await readFile(path, 'utf8'));
  if (there === null || own === null) return;
  if (there.id === own.id && there.startedAt === own.startedAt) return;
  throw new Failure(
    `s3://${bucket}/${key} belongs to another record, of ${there.startedAt ?? 'an unknown time'}: choose another prefix in --s3`,
  );
}

/** S3 takes no more than 10,000 parts of an object: enough for 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;

/** In parts if it is larger than one: a run that took long has hundreds of megabytes of requests. */
async function put(
  { client: s3, bucket }: S3Place,
  key: string,
  path: string,
  abortSignal: AbortSignal,
): Promise<void> {
  const object = { Bucket: bucket, Key: key };
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const read = async (at: number, bytes: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
    return buffer.subarray(0, bytesRead);
  };
  try {
    const { size } = await file.stat();
    const ContentType = typeOf(key);
    if (size <= PART_BYTES) {
      await s3.putObject({ ...object, ContentType, Body: await read(0, size) }, { abortSignal });
      return;
    }
    const { UploadId } = await s3.createMultipartUpload(
      { ...object, ContentType },
      { abortSignal },
    );
    try {
      const Parts: CompletedPart[] = [];
      for (let at = 0; at < size; at += PART_BYTES) {
        const PartNumber = Parts.length + 1;
        const part = { ...object, UploadId, PartNumber, Body: await read(at, PART_BYTES) };
        const { ETag } = await s3.uploadPart(part, { abortSignal });
        Parts.push({ ETag, PartNumber });
      }
      const whole = { ...object, UploadId, MultipartUpload: { Parts } };
      await s3.completeMultipartUpload(whole, { abortSignal });
    } catch (error) {
      // Else the parts that were sent stay in the bucket, unseen and paid for.
      await s3.abortMultipartUpload({ ...object, UploadId }).catch(() => null);
      throw error;
    }
  } catch (error) {
    const why = abortSignal.aborted ? messageOf(abortSignal.reason) : reasonOf(error);
    throw new Error(`s3://${bucket}/${key} could not be written: ${why}`, { cause: error });
  } finally {
    await file.close();
  }
}

const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

/** The server's own word for it, or that of the network. */
function reasonOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string };
  const status = statusOf(error);
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
