import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Running } from '../../cli/src/targets/target';
import { ask, bringUp, left, never, quiet, tracesOf, workload } from '../process/stage';

jest.setTimeout(330_000);

/** In queue mode the main process answers, and workers read the credential and share the files. */
describe('workloads that need something beside n8n, in queue mode with two workers', () => {
  const calls = workload('http-calls');
  const binary = workload('binary');
  const templates = mkdtempSync(join(tmpdir(), 'templates-'));
  let running: Running;

  // Made anew and then from its template: both must be complete, at another place.
  beforeAll(async () => {
    const first = await bringUp({ mode: 'queue', workers: { count: 2 } }, calls, { templates });
    await first.ready(calls.requests, quiet, never());
    await first.down(quiet);
    expect(readdirSync(templates)).toHaveLength(1);
    running = await bringUp({ mode: 'queue', workers: { count: 2 } }, calls, { templates });
    await running.ready(calls.requests, quiet, never());
  });

  afterAll(async () => {
    await running.down(quiet);
    rmSync(templates, { recursive: true, force: true });
  });

  test('the service that http-calls calls is there, with the credential for it', async () => {
    expect(running.processes().map(({ role }) => role)).toContain('upstream');
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(running, calls)));
    expect(new Set(answers)).toEqual(new Set([200]));
  });

  test('binary, seeded later, may write and read its files', async () => {
    await running.seed([...calls.workflows, ...binary.workflows], quiet);
    await running.ready([...calls.requests, ...binary.requests], quiet, never());
  });

  test('down takes the service with it', async () => {
    const traces = tracesOf(running);
    await running.down(quiet);
    expect(await left(traces)).toEqual([]);
  });
});
