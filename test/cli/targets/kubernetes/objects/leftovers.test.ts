import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootId } from '../../../../../cli/src/linux/proc';
import {
  labelsOf,
  MADE_BY,
  makerFrom,
  makerText,
  thisMaker,
} from '../../../../../cli/src/targets/kubernetes/objects/labels';
import { journalOf } from '../../../../../cli/src/targets/kubernetes/objects/journal';
import {
  leftoversIn,
  leftoverText,
} from '../../../../../cli/src/targets/kubernetes/objects/leftovers';
import { needsConfirmation } from '../../../../../cli/src/targets/kubernetes/objects/production';
import {
  helmFailure,
  leftInTheMiddle,
} from '../../../../../cli/src/targets/kubernetes/release/helm';
import {
  LOOK_AT_MAIN,
  machineIn,
  n8nIn,
} from '../../../../../cli/src/targets/kubernetes/kubernetes-running';
import { endIn } from '../../../../../cli/src/targets/kubernetes/generators/generator-job';
import { Lines } from '../../../../../cli/src/targets/kubernetes/api/lines';
import { Mistake } from '../../../../../cli/src/ui/exit';

const created = new Date('2026-11-01T12:00:00Z');
const made = (name: string, maker: string | null, call = 'c1') => ({
  metadata: {
    ...{ name, labels: labelsOf(call), uid: `uid of ${name}`, creationTimestamp: created },
    ...(maker === null ? {} : { annotations: { [MADE_BY]: maker } }),
  },
});
const journal = (namespace: string, maker: string, release: string | null, call = 'c1') => {
  const { data, metadata } = journalOf(call, namespace, { release, objects: [], claims: [] });
  return {
    data: data ?? {},
    metadata: { ...metadata, creationTimestamp: created, annotations: { [MADE_BY]: maker } },
  };
};

test('only what was made here by a process that is gone may go unasked', () => {
  const found = leftoversIn(
    [
      ...[made('n8n-tuned-c1', 'here 1 10'), made('b', 'here 2 20'), made('c', 'there 1 10')],
      // Somebody else has taken our label for a namespace of their own.
      ...[made('d', null), made('e', 'here 1 0')],
    ],
    [
      ...[journal('x', 'here 1 10', null), journal('y', 'here 2 20', 'n8n-c3', 'c3')],
      // What is in a namespace of its own goes with that.
      journal('n8n-tuned-c1', 'here 1 10', 'n8n-c1'),
      // None of ours, whatever its labels say.
      made('settings', 'here 1 10'),
    ],
    { host: 'here', place: 'boot-1:pids-1' },
    ({ pid }) => pid === 2,
  );
  expect(
    found.map(({ kind, namespace, state, isOwn, release }) => [
      ...[kind, namespace, state, isOwn, release],
    ]),
  ).toEqual([
    ['objects', 'x', 'ended', false, null],
    ['objects', 'y', 'running', false, 'n8n-c3'],
    ['namespace', 'n8n-tuned-c1', 'ended', true, null],
    ['namespace', 'b', 'running', false, null],
    ['namespace', 'c', 'elsewhere', false, null],
    ['namespace', 'e', 'elsewhere', false, null],
  ]);
  expect(found.slice(0, 3).map(leftoverText)).toEqual([
    'a load generator in the namespace x (made by here 1 10)',
    'the release n8n-c3 in the namespace y (made by here 2 20)',
    'the namespace n8n-tuned-c1 (made by here 1 10)',
  ]);
});

test('a process of another start or another container of a machine of this name may still be running', () => {
  const states = ['boot-1:pids-1', 'boot-2:pids-1', 'boot-1:pids-2'].map((place, index) => {
    const maker = makerText({ host: 'here', pid: 1, startedAtMs: 10, place });
    const here = { host: 'here', place: 'boot-1:pids-1' };
    const found = leftoversIn([made('a', maker, `c${String(index)}`)], [], here, () => false);
    return found.map((one) => [one.state, leftoverText(one)]);
  });
  const text = 'the namespace a (made by here 1 10)';
  expect(states).toEqual([[['ended', text]], [['elsewhere', text]], [['elsewhere', text]]]);
});

test('this process knows itself by the start of its machine and its own view of processes', () => {
  const maker = makerFrom(thisMaker());
  expect(maker?.place).toBe(`${bootId()}:${readlinkSync('/proc/self/ns/pid')}`);
  expect(maker).toMatchObject({ host: hostname(), pid: process.pid });
});

test('who made something is read back as it was written', () => {
  const maker = { host: 'ops-1', pid: 42, startedAtMs: 123 };
  expect(makerFrom(makerText(maker))).toEqual(maker);
  const placed = { ...maker, place: 'boot-1:pids-1' };
  expect(makerFrom(makerText(placed))).toEqual(placed);
  for (const text of [undefined, '', 'somebody']) expect(makerFrom(text)).toBeNull();
});

test.each([
  ['kind-load', 'https://127.0.0.1:6443', [], false],
  ['anything', 'https://localhost:6443', [], false],
  ['n8n-tuned', 'https://198.19.0.1', [], false],
  ['prod-eu', 'https://10.1.2.3', [], true],
  ['kind-load', 'https://10.1.2.3', [], false],
  ['kind-load', 'https://127.0.0.1:6443', ['kind-*'], true],
  ['kind-load', 'https://127.0.0.1:6443', ['prod*'], false],
  ['n8n-tuned-prod', 'https://203.0.113.7', [], true],
  ['n8n-tuned', 'https://10.1.2.3', [], true],
  ['kind-load', 'https://203.0.113.7', [], true],
  ['kind-load', 'https://k8s.example.com', [], true],
  ['docker-desktop', 'https://kubernetes.docker.internal:6443', [], false],
  ['kind-ci', 'https://docker:6443', [], false],
  ['anything', 'https://localhost.example.com', [], true],
  ['anything', 'https://127.example.com', [], true],
  ['anything', 'https://[::1]:6443', [], false],
])('context %s at %s with --protect %j is asked for: %s', (context, server, protect, asks) => {
  expect(needsConfirmation({ context, server, protect })).toBe(asks);
});

test.each([
  [
    'Error: INSTALLATION FAILED: cannot re-use a name that is still in use',
    /^the release name 'n8n' is taken in the namespace load: choose another --release/,
    true,
  ],
  [
    'Error: execution error at (n8n-tuned/templates/validations.yaml:1:4): queue mode needs PostgreSQL',
    /^the chart rejects these values: queue mode needs PostgreSQL/,
    true,
  ],
  [
    "Error: values don't meet the specifications of the schema(s) in the following chart(s):\nn8n-tuned:\n- at '': additional properties 'x' not allowed",
    /^the chart rejects these values: .*additional properties 'x' not allowed/,
    true,
  ],
  [
    'Error: INSTALLATION FAILED: failed pre-install: 1 error occurred: timed out waiting for the condition',
    /^helm failed while installing the release 'n8n' in the namespace load: its pre-install hook did not succeed \(1 error occurred: timed out .*\); allow more time with --deploy-timeout\.$/,
    false,
  ],
  [
    'Error: INSTALLATION FAILED: failed post-install: 1 error occurred:\n\t* job n8n-keys failed: BackoffLimitExceeded\n\n',
    /its post-install hook did not succeed \(1 error occurred: \* job n8n-keys failed: BackoffLimitExceeded\); use helm to install the chart with the same values/,
    false,
  ],
  // Helm 4.
  [
    'level=ERROR msg="release name check failed" error="cannot reuse a name that is still in use"\nError: INSTALLATION FAILED: release name check failed: cannot reuse a name that is still in use',
    /^the release name 'n8n' is taken in the namespace load: choose another --release/,
    true,
  ],
  [
    'Error: INSTALLATION FAILED: failed pre-install: resource Job/load/n8n-keys not ready. status: InProgress, message: Job in progress\ncontext deadline exceeded',
    /its pre-install hook did not succeed \(resource Job\/load\/n8n-keys not ready\. .* deadline exceeded\); allow more time/,
    false,
  ],
  [
    'Error: INSTALLATION FAILED: unable to continue with install: ConfigMap "n8n" in namespace "load" exists and cannot be imported into the current release: invalid ownership metadata',
    /^the namespace load already has a ConfigMap 'n8n'/,
    true,
  ],
  [
    'Error: INSTALLATION FAILED: Unable to continue with install: ConfigMap "n8n" in namespace "load" exists and cannot be imported into the current release: invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"',
    /^the namespace load already has a ConfigMap 'n8n' that does not belong to the release 'n8n': choose another --release or --namespace, or remove it\.$/,
    true,
  ],
])('the user reads one sentence where helm says %j', (stderr, sentence, isMistake) => {
  const failure = helmFailure(stderr, { release: 'n8n', namespace: 'load' });
  expect(failure.message).toMatch(sentence);
  expect(failure instanceof Mistake).toBe(isMistake);
});

test.each([
  [
    'pending-install',
    /^helm is still installing the release 'n8n' in the namespace load, or was interrupted \(pending-install\): .* helm uninstall n8n --namespace load to remove/,
  ],
  [
    'pending-upgrade',
    /still upgrading .* helm rollback n8n --namespace load to restore the previous revision/,
  ],
  ['pending-rollback', /still rolling back .* helm rollback n8n --namespace load/],
  ['uninstalling', /still uninstalling .* helm uninstall n8n --namespace load/],
])('the advice names what repairs a release that helm left %s', (status, sentence) => {
  expect(leftInTheMiddle(status, { release: 'n8n', namespace: 'load' })).toMatch(sentence);
});

test.each(['deployed', 'failed', 'superseded', null])('one that is %s was not left', (status) => {
  expect(leftInTheMiddle(status, { release: 'n8n', namespace: 'load' })).toBeNull();
});

test('the machine of a pod is what its /proc says, or unknown', () => {
  expect(
    machineIn(
      'model name\t: Some CPU @ 2.5GHz\ncores: 4\nMemTotal:       8388608 kB\nos: Linux 6.1\n',
    ),
  ).toEqual({ cpu: 'Some CPU @ 2.5GHz', cores: 4, memoryMiB: 8192, os: 'Linux 6.1' });
  expect(machineIn('')).toEqual({ cpu: 'unknown', cores: 0, memoryMiB: 0, os: 'unknown' });
});

test('the version of an n8n is that of the package which its program lies in, or unknown', () => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-in-a-pod-'));
  const shownWith = (path: string): string =>
    execFileSync('sh', ['-c', LOOK_AT_MAIN], {
      env: { PATH: `${path}:${process.env['PATH'] ?? ''}` },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  try {
    for (const name of ['lib/n8n/bin', 'bin', 'wrapped'])
      mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(
      join(folder, 'lib/n8n/package.json'),
      JSON.stringify({ name: 'n8n', version: '2.30.8' }, null, 2),
    );
    for (const program of ['lib/n8n/bin/n8n', 'wrapped/n8n'])
      writeFileSync(join(folder, program), '', { mode: 0o755 });
    symlinkSync('../lib/n8n/bin/n8n', join(folder, 'bin/n8n'));
    expect(n8nIn(shownWith(join(folder, 'bin')))).toBe('2.30.8');
    const wrapped = shownWith(join(folder, 'wrapped'));
    expect(n8nIn(wrapped)).toBeNull();
    expect(machineIn(wrapped).cores).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the output of a run ends with the exit code of k6, and with nothing that k6 wrote', () => {
  expect(endIn('["x",99]')).toBe(99);
  for (const line of ['["e","id",1]', '["x"]', 'x ["x",0]']) expect(endIn(line)).toBeNull();
});

test('lines come whole, however the text was cut', () => {
  const seen: string[] = [];
  const lines = new Lines((line) => seen.push(line));
  for (const piece of ['a', 'b\nc', '\n', '\nd']) lines.add(piece);
  expect(seen).toEqual(['ab', 'c', '']);
});
