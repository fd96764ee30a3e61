// PostgreSQL is the first process of its container, so it inherits what a probe leaves behind. It takes a process that
// ends with status 2, as pg_isready does without a response, for one of its own that crashed, and restarts them all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { paths, render } from './support/helm.ts';
import { until } from '../support/wait';

interface Probe {
  exec?: { command: string[] };
  timeoutSeconds?: number;
}
type Container = Record<'startupProbe' | 'readinessProbe' | 'livenessProbe', Probe | undefined>;

let folder: string;
let commands: { command: string[]; timeoutSeconds: number }[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-probes-'));
  const { manifests } = await render(paths.helm3, [
    ...['--set', 'executions.mode=queue', '--set', 'database.type=postgresql'],
    ...['--show-only', 'templates/postgresql/statefulset.yaml'],
  ]);
  commands = manifests
    .filter(({ kind }) => kind === 'StatefulSet')
    .flatMap(
      ({ spec }) =>
        (spec as { template: { spec: { containers: Container[] } } }).template.spec.containers,
    )
    .flatMap((container) => [
      container.startupProbe,
      container.readinessProbe,
      container.livenessProbe,
    ])
    .flatMap((probe) =>
      probe?.exec
        ? [{ command: probe.exec.command, timeoutSeconds: probe.timeoutSeconds ?? 1 }]
        : [],
    );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isAlive = (pid: number): boolean => existsSync(`/proc/${String(pid)}`);

test('a probe of PostgreSQL that is ended leaves no process behind', async () => {
  expect(commands).not.toHaveLength(0);
  for (const [index, { command }] of commands.entries()) {
    const [program = '', ...args] = command;
    const pidFile = join(folder, `pid-${String(index)}`);
    // One that gets no response: it has said which process it is, and waits.
    writeFileSync(
      join(folder, 'pg_isready'),
      `#!/bin/sh\necho $$ >"${pidFile}.new" && mv "${pidFile}.new" "${pidFile}"\nexec sleep 60\n`,
      { mode: 0o755 },
    );
    const shell = spawn(program, args, {
      env: { PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` },
      stdio: 'ignore',
    });
    const ended = once(shell, 'exit');
    await until('the probe to run', () => existsSync(pidFile));
    const asked = Number(readFileSync(pidFile, 'utf8'));
    shell.kill('SIGKILL');
    await ended;
    try {
      expect(isAlive(asked)).toBe(false);
    } finally {
      if (isAlive(asked)) process.kill(asked, 'SIGKILL');
    }
  }
});

test('a probe of PostgreSQL gives up before Kubernetes ends it', () => {
  for (const { command, timeoutSeconds } of commands) {
    const within = /pg_isready .*-t (\d+)/.exec(command.join(' '))?.[1];
    expect(Number(within)).toBeLessThan(timeoutSeconds);
  }
});
