// Makes the secrets that nobody gave, each exactly once: the API server refuses to create a name that exists, so a
// second run, a re-render or two runs at once can never change a key. The account may create Secrets and read none. The key
// that the values gave before is copied, because n8n reads its credentials with no other: it comes as a variable.
const { randomBytes } = require('node:crypto');
const { readFileSync } = require('node:fs');
const https = require('node:https');

const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const namespace = process.env.NAMESPACE;
/** Labels and annotations. */
const ofAll = JSON.parse(process.env.METADATA);
const wanted = JSON.parse(process.env.SECRETS);
const ALREADY_EXISTS = 409;

function create(body) {
  const options = {
    host: process.env.KUBERNETES_SERVICE_HOST,
    port: process.env.KUBERNETES_SERVICE_PORT,
    path: `/api/v1/namespaces/${namespace}/secrets`,
    method: 'POST',
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
const made = () => randomBytes(24).toString('hex');

async function keep({ name, key, copyOf }, index) {
  const copied = process.env[`COPY_${index}`];
  const said = copied ? `made, a copy of ${copyOf}` : 'made';
  const data = { [key]: Buffer.from(copied || made()).toString('base64') };
  const metadata = { ...ofAll, name };
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data });
  const { status, text } = await create(body);
  if (status === ALREADY_EXISTS) return `${name}: is there already, kept as it is`;
  if (status < 300) return `${name}: ${said}`;
  throw new Error(`${name}: the API server answered ${status}: ${text}`);
}

(async () => {
  for (const [index, secret] of wanted.entries()) console.log(await keep(secret, index));
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
