import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCli, endStartedClis, runFolder, startCli } from '../../support/cli';
import { startKnownServer, type KnownServer } from '../../support/known-server';
import { readWholeRun } from '../../support/read-run';
import { until } from '../../support/wait';

jest.setTimeout(90_000);

const isRoot = process.getuid?.() === 0;

/** A disk of its own, small enough to be filled. Only root may mount one. */
(isRoot ? describe : describe.skip)('a disk that is full while a run is recorded', () => {
  let disk: string;
  let server: KnownServer;

  beforeAll(async () => {
    buildCli();
    disk = mkdtempSync(join(tmpdir(), 'disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'n8n-tuned-test', disk]);
    server = await startKnownServer();
  });

  afterAll(async () => {
    endStartedClis();
    await server.close();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  test('a full disk does not stop the run: the verdict is kept, what is missing is said, the exit code is 3', async () => {
    const out = join(disk, 'results');
    mkdirSync(out);
    const run = startCli([
      'run',
      '--target',
      'url',
      '--url',
      server.url,
      '--request',
      'GET /x',
      '--out',
      out,
      '--profile',
      'load',
      '--rate',
      '200',
      '--duration',
      '6s',
      '--warmup',
      '0s',
    ]);
    await until('load', () => server.seen.right > 50);
    fill(join(disk, 'filler'));
    const before = server.seen.right;
    const { code } = await run.ended;
    expect(code).toBe(3);
    expect(run.stderr()).toMatch(/could not be completed: the disk is full/);
    const { record } = await readWholeRun(runFolder(out) ?? '');
    expect(record.summary.achieved.requests).toBeGreaterThan(before);
    expect(record.events.map(({ kind }) => kind)).toContain('recorder');
    expect(record.verdict.outcome).not.toBe('aborted');
  });
});

function fill(file: string): void {
  for (const bytes of [65_536, 4096, 64]) {
    for (;;) {
      try {
        appendFileSync(file, Buffer.alloc(bytes));
      } catch {
        break;
      }
    }
  }
}
