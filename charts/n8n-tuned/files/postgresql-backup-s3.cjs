// Brings the newest dump of n8n's database into a bucket of S3 (`store`), or takes the one that RESTORE names out of it
// (`fetch`): its name, or latest. postgresql-backup.sh makes the dumps in FOLDER, and puts them back.
// The bucket may hold files of others: only what has the name NAME-TIME.dump is ours.
const { accessSync, createWriteStream, readdirSync, realpathSync, renameSync } = require('node:fs');
const { open } = require('node:fs/promises');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { pipeline } = require('node:stream/promises');

const { FOLDER = '', NAME = '', KEEP = '7', RESTORE, S3_BUCKET: Bucket, S3_PREFIX } = process.env;
const PREFIX = S3_PREFIX ? `${S3_PREFIX.replace(/^\/+|\/+$/g, '')}/` : '';
/** S3 takes at most 10,000 parts of an object. */
const MAX_PARTS = 9000;
const PART_BYTES = Number(process.env.S3_PART_BYTES ?? 16 * 1024 * 1024);

const isOurs = (name) =>
  name.startsWith(`${NAME}-`) && /^\d{8}T\d{6}Z\.dump$/.test(name.slice(NAME.length + 1));

/** The client with which n8n itself keeps files in S3: a part of n8n, or of a package of n8n's. */
function library() {
  const program = (process.env.N8N_PACKAGE ? [process.env.N8N_PACKAGE] : [])
    .concat((process.env.PATH || '').split(':').map((folder) => join(folder, 'n8n')))
    .find((file) => {
      try {
        accessSync(file);
        return true;
      } catch {
        return false;
      }
    });
  if (!program) throw new Error('there is no n8n on PATH: use an image of n8n');
  const ofN8n = createRequire(realpathSync(program));
  for (const holder of ['', 'n8n-core', '@n8n/blob-storage']) {
    try {
      const from = holder ? createRequire(ofN8n.resolve(holder)) : ofN8n;
      return from('@aws-sdk/client-s3');
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new Error('this image of n8n has no client for S3: use a newer n8n');
}

/** Credentials, region and address are those of the AWS SDK: of variables, or of the pod's own identity. */
function connect() {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return new (library().S3)({
    region: process.env.AWS_REGION || 'us-east-1',
    // Servers that are not Amazon's need not have a host name per bucket, nor know its newer checksums.
    forcePathStyle: Boolean(process.env.AWS_ENDPOINT_URL_S3),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** The names of this release's dumps in the bucket, the oldest first. */
async function stored(s3) {
  const names = [];
  for (let more; ;) {
    const page = await s3.listObjectsV2({
      Bucket,
      Prefix: `${PREFIX}${NAME}-`,
      ContinuationToken: more,
    });
    names.push(...(page.Contents ?? []).map(({ Key }) => Key.slice(PREFIX.length)));
    more = page.NextContinuationToken;
    if (!more) return names.filter(isOurs).sort();
  }
}

async function put(s3, name) {
  const object = { Bucket, Key: `${PREFIX}${name}` };
  const file = await open(join(FOLDER, name));
  try {
    const { size } = await file.stat();
    const bytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
    const read = async (at) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
      return buffer.subarray(0, bytesRead);
    };
    const { UploadId } = await s3.createMultipartUpload(object);
    try {
      const Parts = [];
      for (let at = 0; at < size; at += bytes) {
        const PartNumber = Parts.length + 1;
        const { ETag } = await s3.uploadPart({
          ...{ ...object, UploadId, PartNumber, Body: await read(at) },
        });
        Parts.push({ ETag, PartNumber });
      }
      await s3.completeMultipartUpload({ ...object, UploadId, MultipartUpload: { Parts } });
    } catch (error) {
      // Else the parts that were sent stay in the bucket, unseen and paid for.
      await s3.abortMultipartUpload({ ...object, UploadId }).catch(() => null);
      throw error;
    }
    console.log(`stored ${name} in s3://${Bucket}/${PREFIX}, ${size} bytes`);
  } finally {
    await file.close();
  }
}

async function store() {
  if (RESTORE) return;
  const name = readdirSync(FOLDER).filter(isOurs).sort().at(-1);
  if (!name) throw new Error(`there is no dump in ${FOLDER}`);
  const s3 = connect();
  await put(s3, name);
  try {
    for (const old of (await stored(s3)).slice(0, -Number(KEEP))) {
      await s3.deleteObject({ Bucket, Key: `${PREFIX}${old}` });
      console.log(`removed ${old}`);
    }
  } catch (error) {
    // Credentials that may only write are the safer ones.
    if (error.$metadata?.httpStatusCode !== 403) throw error;
    console.log('old dumps stay: these credentials may not list or delete them');
  }
}

async function fetchDump() {
  if (!RESTORE) return;
  const s3 = connect();
  const name = RESTORE === 'latest' ? (await stored(s3)).at(-1) : RESTORE;
  if (!name || name.includes('/')) {
    throw new Error(`there is no dump ${RESTORE} in s3://${Bucket}/${PREFIX}`);
  }
  const file = join(FOLDER, name);
  const { Body } = await s3.getObject({ Bucket, Key: `${PREFIX}${name}` });
  await pipeline(Body, createWriteStream(`${file}.part`, { mode: 0o600 }));
  renameSync(`${file}.part`, file);
  console.log(`fetched ${name}`);
}

({ store, fetch: fetchDump })[process.argv[2]]().catch((error) => {
  const status = error.$metadata?.httpStatusCode;
  const reason = [
    status && `status ${status}`,
    error.name !== 'Error' && error.name,
    error.message,
  ];
  console.error(`backup to s3://${Bucket}/${PREFIX}: ${reason.filter(Boolean).join(', ')}`);
  process.exitCode = 1;
});
