/** The command `run` on a server of known behaviour, for the tests of a file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRecord } from '../../cli/src/record/run-record';
import { buildCli, endStartedClis, runCli } from './cli';
import { startKnownServer, type Behaviour, type KnownServer } from './known-server';

interface KnownRuns {
  /** That of the test's last run. */
  server(): KnownServer;
  /** Loads `GET /x`; `options` as words with spaces between. */
  run(behaviour: Behaviour, options: string): Promise<RunRecord & { folder: string }>;
}

/** Each test has a server and a folder of its own. */
export function knownRuns(): KnownRuns {
  let server: KnownServer;
  let out: string;

  beforeAll(buildCli);
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'generator-'));
  });
  afterEach(async () => {
    endStartedClis();
    await server.close();
    rmSync(out, { recursive: true, force: true });
  });

  return {
    server: () => server,
    run: async (behaviour, options) => {
      server = await startKnownServer(behaviour);
      const common = `run --target url --url ${server.url} --out ${out} --request`.split(' ');
      const more = options.split(' ').filter((word) => word !== '');
      const { stdout, stderr } = await runCli([...common, 'GET /x', '--json', ...more]);
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as RunRecord & { folder: string };
    },
  };
}
