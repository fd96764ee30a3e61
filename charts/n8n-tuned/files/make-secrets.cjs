// Makes the secrets that nobody gave, each exactly once: the API server refuses to create a name that exists, so a
// second run, a re-render or two runs at once can never change a key. The account may create Secrets and read one: the key
// that the values gave before, which is copied, because n8n reads its credentials with no other.
const { randomBytes } = require('node:crypto');
const { readFileSync } = require('node:fs');
const https = require('node:https');

const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const namespace = process.env.NAMESPACE;
/** Labels and annotations. */
const ofAll = JSON.parse(process.env.METADATA);
const wanted = JSON.parse(process.env.SECRETS);
const NOT_FOUND = 404;
const ALREADY_EXISTS = 409;

function ask(method, path, body) {
  const options = {
    host: process.env.KUBERNETES_SERVICE_HOST,
    port: process.env.KUBERNETES_SERVICE_PORT,
    path: `/api/v1/namespaces/${namespace}/secrets${path}`,
    method,
    timeout: 10_000,
    ca: readFileSync(`${account}/ca.crt`),
    headers: {
      authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8').trim()}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  };
  return new Promise((resolve, reject) => {
    const request = https.request(options, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('timeout', () =>
      request.destroy(new Error('no answer from the API server in 10 s')),
    );
    request.on('error', reject);
    request.end(body);
  });
}

// 24 bytes as n8n makes its own key; hexadecimal needs no quoting anywhere.
async function dataOf({ key, copyOf }) {
  if (copyOf) {
    const { status, text } = await ask('GET', `/${copyOf}`, '');
    if (status < 300) return { said: `made, a copy of ${copyOf}`, data: JSON.parse(text).data };
    if (status !== NOT_FOUND)
      throw new Error(`${copyOf}: the API server answered ${status}: ${text}`);
  }
  const value = randomBytes(24).toString('hex');
  return { said: 'made', data: { [key]: Buffer.from(value).toString('base64') } };
}

async function create(secret) {
  const { name } = secret;
  const { said, data } = await dataOf(secret);
  const metadata = { ...ofAll, name };
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data });
  const { status, text } = await ask('POST', '', body);
  if (status === ALREADY_EXISTS) return `${name}: is there already, kept as it is`;
  if (status < 300) return `${name}: ${said}`;
  throw new Error(`${name}: the API server answered ${status}: ${text}`);
}

(async () => {
  for (const secret of wanted) console.log(await create(secret));
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
