// Makes the secrets that nobody gave, each exactly once: the API server refuses to create a name that exists, so a
// second run, a re-render or two runs at once can never change a key. The account may create Secrets, not read them.
const { randomBytes } = require('node:crypto');
const { readFileSync } = require('node:fs');
const https = require('node:https');

const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const namespace = process.env.NAMESPACE;
const labels = JSON.parse(process.env.LABELS);
const wanted = JSON.parse(process.env.SECRETS);
const ALREADY_EXISTS = 409;

function create({ name, key }) {
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels },
    type: 'Opaque',
    // 24 bytes as n8n makes its own key; hexadecimal needs no quoting anywhere.
    stringData: { [key]: randomBytes(24).toString('hex') },
  });
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
      response.on('end', () => {
        if (response.statusCode === ALREADY_EXISTS)
          resolve(`${name}: is there already, kept as it is`);
        else if (response.statusCode < 300) resolve(`${name}: made`);
        else reject(new Error(`${name}: the API server answered ${response.statusCode}: ${text}`));
      });
    });
    request.on('timeout', () =>
      request.destroy(new Error(`${name}: no answer from the API server in 10 s`)),
    );
    request.on('error', reject);
    request.end(body);
  });
}

(async () => {
  for (const secret of wanted) console.log(await create(secret));
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
