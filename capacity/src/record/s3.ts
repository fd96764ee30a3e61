import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { messageOf, Mistake } from '../ui/exit';
import { within } from '../ui/within';
import { COMPARE_FILE } from './compare-record';
import { RECORD_FILE } from './folder';
import { FIND_FILE } from './read-find';
import { SWEEP_FILE } from './sweep-record';
import { encodeKey, signed, type S3Credentials } from './s3-sign';

/** A bucket of S3, or of anything that speaks like it, with credentials from the environment. */
export interface S3Place {
  /** `https://s3.eu-central-1.amazonaws.com`, `http://127.0.0.1:9000` */
  endpoint: string;
  bucket: string;
  /** Without slashes at its ends; may be empty. */
  prefix: string;
  credentials: S3Credentials;
}

type Env = Record<string, string | undefined>;

const ATTEMPTS = 3;
const REQUEST_TIMEOUT_MS = 60_000;

/** `s3://bucket/prefix`, and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL. */
export function s3Place(url: string, env: Env): S3Place {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/(.*))?$/.exec(url);
  if (match === null) {
    throw new Mistake(`--s3 is '${url}': write it like s3://bucket/prefix.`);
  }
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  if (!accessKeyId || !secretAccessKey) {
    throw new Mistake(
      '--s3 needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.',
    );
  }
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  const endpoint =
    env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'] ?? `https://s3.${region}.amazonaws.com`;
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    bucket: match[1] ?? '',
    prefix: (match[2] ?? '').replaceAll(/^\/+|\/+$/g, ''),
    credentials: {
      accessKeyId,
      secretAccessKey,
      sessionToken: env['AWS_SESSION_TOKEN'],
      region,
    },
  };
}

/** Where the folder of a record goes. */
export function s3UrlOf(place: S3Place, folder: string): string {
  return `s3://${[place.bucket, place.prefix, basename(folder)].filter((part) => part !== '').join('/')}`;
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
    await put(place, key, readFileSync(join(folder, file)), signal);
  }
}

async function put(
  place: S3Place,
  key: string,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(`${place.endpoint}/${place.bucket}/${encodeKey(key)}`);
  const request = { method: 'PUT', url, headers: { 'content-type': typeOf(key) }, body } as const;
  let why = '';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      const { ok, status, text } = await within(REQUEST_TIMEOUT_MS, signal, async (patience) => {
        const reply = await fetch(url, {
          method: request.method,
          headers: signed(request, place.credentials, new Date()),
          body: Uint8Array.from(body),
          signal: patience,
        });
        return { ok: reply.ok, status: reply.status, text: await reply.text() };
      });
      if (ok) return;
      why = `status ${String(status)} ${/<Code>([^<]+)/.exec(text)?.[1] ?? ''}`.trim();
      // Who is refused will be refused again.
      if (status < 500 && status !== 429) break;
    } catch (error) {
      why = reasonOf(error);
      if (signal.aborted) break;
    }
  }
  throw new Error(`${url.origin}/${place.bucket}/${key} was not taken: ${why}`);
}

/** What fetch hides behind "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.message || cause?.code || messageOf(error);
}

function filesBeneath(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => statSync(file).isFile())
    .map((file) => relative(folder, file).split(sep).join('/'));
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
