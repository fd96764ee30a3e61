import {
  causeOf,
  missingRight,
  refusalOf,
} from '../../../../../cli/src/targets/kubernetes/api/failure-causes';

const asked = { context: 'work', server: 'https://10.0.0.1:6443', doing: 'making the namespace x' };

/** What the client throws for an answer of the API server. */
const refused = (code: number, message: string): object => ({
  code,
  body: JSON.stringify({ kind: 'Status', message }),
});

const networkError = (code: string): Error =>
  Object.assign(new Error('request to https://10.0.0.1:6443/version failed'), { code });

// Each message is as an API server of 1.36 or Node.js wrote it.
test.each([
  [
    'no cluster',
    networkError('ECONNREFUSED'),
    'no cluster responds at https://10.0.0.1:6443 (context work): nothing listens there; check that the cluster is running, and that this is the right kubeconfig.',
  ],
  [
    'a name that nobody knows',
    networkError('ENOTFOUND'),
    'no cluster responds at https://10.0.0.1:6443 (context work): the host name cannot be resolved; check that this is the right kubeconfig, and whether you need a VPN.',
  ],
  [
    'no route',
    networkError('ETIMEDOUT'),
    'no cluster responds at https://10.0.0.1:6443 (context work): there was no response in time; check whether you need a VPN or a proxy.',
  ],
  [
    'a certificate of another cluster',
    Object.assign(new Error('unable to verify the first certificate'), {
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    }),
    'the certificate of https://10.0.0.1:6443 (context work) could not be verified: check certificate-authority in the kubeconfig.',
  ],
  [
    'expired credentials',
    refused(401, 'Unauthorized'),
    'the cluster of context work does not accept the credentials (making the namespace x): they are wrong or have expired; log in again.',
  ],
  [
    'a missing right in the whole cluster',
    refused(
      403,
      'namespaces is forbidden: User "ada" cannot create resource "namespaces" in API group "" at the cluster scope',
    ),
    'making the namespace x requires a permission that the user of context work does not have: create namespaces in the whole cluster; docs/kubernetes.md shows the Role that you need.',
  ],
  [
    'a missing right in a namespace',
    refused(
      403,
      'jobs.batch is forbidden: User "ada" cannot create resource "jobs" in API group "batch" in the namespace "load"',
    ),
    'making the namespace x requires a permission that the user of context work does not have: create jobs.batch in the namespace load; docs/kubernetes.md shows the Role that you need.',
  ],
  [
    'a quota',
    refused(
      403,
      'pods "a" is forbidden: exceeded quota: small, requested: requests.memory=1Gi, used: requests.memory=0, limited: requests.memory=512Mi',
    ),
    'making the namespace x exceeds a quota of the namespace (small, requested: requests.memory=1Gi, used: requests.memory=0, limited: requests.memory=512Mi): raise the quota, or request less with --cpu, --memory or --workers.',
  ],
  [
    'a LimitRange',
    refused(
      403,
      'pods "a" is forbidden: maximum memory usage per Container is 512Mi, but limit is 1536Mi',
    ),
    'making the namespace x is refused by a LimitRange of the namespace (maximum memory usage per Container is 512Mi, but limit is 1536Mi): request amounts within its limits with --cpu, --memory or --values.',
  ],
  [
    'anything else that it refuses',
    refused(500, 'etcdserver: leader changed'),
    'making the namespace x failed with status 500 in the cluster of context work: etcdserver: leader changed',
  ],
])('%s is one sentence with what to do', (_name, error, sentence) => {
  expect(causeOf(error, asked)).toBe(sentence);
});

test('the cause beneath an error of fetch is found', () => {
  const error = new TypeError('fetch failed', { cause: networkError('ECONNREFUSED') });
  expect(causeOf(error, asked)).toMatch(/^no cluster responds at/);
});

test('a bug of our own is not taken for one of the cluster', () => {
  expect(causeOf(new TypeError("cannot read 'x' of undefined"), asked)).toBeNull();
  expect(refusalOf(new Error('x'))).toBeNull();
  expect(missingRight('exceeded quota')).toBeNull();
});
