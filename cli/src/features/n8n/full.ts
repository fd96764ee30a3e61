/** Admits a release whole: its patches are tested with it, each workload is asked once, and what is found is written down. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readCatalogue } from '../../catalogue/read';
import { manifestOf } from '../../lab/n8n';
import { cacheFolder, n8nProgram, repositoryRoot } from '../../lab/paths';
import { readPlainFile } from '../../linux/plain-file';
import { chooseWorkload } from '../../plan/chosen-workload';
import { topologySchema } from '../../plan/topology';
import { patchesIn } from '../../record/patches';
import { processTarget } from '../../targets/process/process-target';
import type { Running } from '../../targets/target';
import { Failure, messageOf, Mistake } from '../../ui/exit';
import { admit, kitOf, known, type Admission } from './admit';
import {
  hashesAdded,
  knownWith,
  rowAfter,
  rowsWith,
  rowWithRanges,
  versionsSchema,
  type VersionRow,
} from './analysis/row';

const RECORD = 'docs/records/versions.json';
const KNOWN = 'charts/n8n-tuned/files/preload/known.json';
const VARIABLES = 'lab/n8n/variables.json';
const rangesSchema = z.object({ variables: z.record(z.string(), z.string()) });
type Tell = (text: string) => void;

/** `install` has put the release here. */
export async function admitFully(
  version: string,
  tell: Tell,
  signal: AbortSignal,
): Promise<Admission & { tried: VersionRow }> {
  const before = await admit(version, tell, signal);
  tell('running the tests of the patches');
  const after = knownWith(known(), before.read, kitOf(), today());
  const tests = await patchTests(version, hashesAdded(known(), after), signal);
  const isAdded = tests.failed === 0 && tests.passed > 0;
  tell('starting n8n with every workload');
  const start = (): Promise<Started> => asked(version, tell, signal);
  // Known before it starts, so that it runs as it will for everybody.
  const started = isAdded
    ? await writtenWhile(pathOf(KNOWN), jsonOf(after), start, allResponded)
    : await start();
  const admission = await withVariables(
    isAdded && allResponded(started)
      ? { ...before, row: rowAfter(before.read, kitOf(), after) }
      : before,
    signal,
  );
  const node = manifestOf(n8nProgram(cacheFolder(), version))?.engines ?? 'any';
  const row = rowOf(admission, { node, tests, ...started });
  await write(row, tell, signal);
  return { ...admission, tried: row };
}

/** The row of what was read alone. */
export async function admitAndWrite(
  version: string,
  tell: Tell,
  signal: AbortSignal,
): Promise<Admission> {
  const admission = await withVariables(await admit(version, tell, signal), signal);
  await write(rowOf(admission, null), tell, signal);
  return admission;
}

const allResponded = ({ workloads }: Started): boolean => workloads.failed.length === 0;

/** Writes a text into a file for the time of a piece of work, which may end in an error, and leaves it there if its result says so. */
export async function writtenWhile<Result>(
  file: string,
  text: string,
  work: () => Promise<Result>,
  isKept: (result: Result) => boolean,
): Promise<Result> {
  const before = readPlainFile(file);
  let stays = false;
  writeFileSync(file, text);
  try {
    const result = await work();
    stays = isKept(result);
    return result;
  } finally {
    if (!stays) writeFileSync(file, before);
  }
}

const today = (): string => new Date().toISOString().slice(0, 10);

const rowOf = ({ row }: Admission, tried: VersionRow['tried']): VersionRow => ({
  ...{ n8n: row.version, on: today(), patches: row.patches, variables: row.variables, tried },
  // Since the command began, with an install where there was one.
  tookSeconds: Math.round(performance.now() / 1000),
});

/** Adds the variables of a newer release to what the chart knows, and says what differs from that. */
async function withVariables(admission: Admission, signal: AbortSignal): Promise<Admission> {
  const { read, row } = admission;
  if (read.variables === null || (row.variables ?? []).length === 0) return admission;
  const names = JSON.stringify({ version: row.version, names: [...read.variables] });
  await script(['lab/n8n/read-variables.ts', '--add', names], signal);
  const { variables } = rangesSchema.parse(JSON.parse(readPlainFile(pathOf(VARIABLES))));
  return { ...admission, row: rowWithRanges(row, read, kitOf(), variables) };
}

/** Into the record of versions, and from there into the page, which the chart's versions.yaml is written with. */
async function write(row: VersionRow, tell: Tell, signal: AbortSignal): Promise<void> {
  tell('writing the results');
  const file = pathOf(RECORD);
  const { versions } = existsSync(file)
    ? versionsSchema.parse(JSON.parse(readPlainFile(file)))
    : { versions: [] };
  writeJson(RECORD, { versions: rowsWith(versions, row) });
  await script(['lab/generate/all.ts'], signal);
}

const pathOf = (file: string): string => join(repositoryRoot(), file);
const jsonOf = (content: unknown): string => `${JSON.stringify(content, null, 2)}\n`;
const writeJson = (file: string, content: unknown): void => {
  writeFileSync(pathOf(file), jsonOf(content));
};

const script = async (words: readonly string[], signal: AbortSignal): Promise<void> => {
  const { code, said } = await run(['node_modules/tsx/dist/cli.mjs', ...words], {}, signal);
  if (code !== 0) throw new Failure(`${words[0] ?? ''} failed: ${said.trim().slice(-500)}`);
};

/** A program of Node.js in the checkout, with what it says last. */
async function run(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, words, {
    cwd: repositoryRoot(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => (said = (said + part).slice(-10_000)));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  signal.throwIfAborted();
  return { code, said };
}

const jestSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

type Tried = NonNullable<VersionRow['tried']>;
type Tests = Tried['tests'];
type Started = Pick<Tried, 'inForce' | 'workloads'>;

/** The suites of the patches on the code of this release: what is to become known counts as admitted in them. */
async function patchTests(
  version: string,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<Tests> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-admit-'));
  try {
    const file = join(folder, 'jest.json');
    const words = [
      '--selectProjects',
      'chart',
      'chart-long',
      '--testPathPatterns',
      'chart/patches',
    ];
    const env = { N8N_TEST_VERSION: version, N8N_TUNED_ADMITTED: hashes.join() };
    const output = ['--json', '--outputFile', file];
    const { said } = await run(['node_modules/jest/bin/jest.js', ...words, ...output], env, signal);
    if (!existsSync(file)) throw new Failure(`the tests did not run: ${said.trim().slice(-500)}`);
    const found = jestSchema.parse(JSON.parse(readPlainFile(file)));
    const all = found.testResults.flatMap(({ assertionResults }) => assertionResults);
    const failing = all.filter(({ status }) => status === 'failed').map((one) => one.fullName);
    return { passed: found.numPassedTests, failed: found.numFailedTests, failing };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const READY_MS = 240_000;
const RESPONSE_MS = 60_000;

/** One start in queue mode, in which every patch has something to do, and one request per workload. */
async function asked(version: string, tell: Tell, signal: AbortSignal): Promise<Started> {
  const folder = join(repositoryRoot(), 'workflows');
  const chosen = readCatalogue(join(folder, 'catalogue.json')).workloads.flatMap(({ name }) => {
    try {
      return [{ name, ...chooseWorkload({ workload: name }, folder, version) }];
    } catch (error) {
      // It takes no requests, since it starts by itself, or is for newer n8n.
      if (error instanceof Mistake) return [];
      throw error;
    }
  });
  const files = new Map(chosen.flatMap(({ workflows }) => workflows.map((one) => [one.file, one])));
  const topology = topologySchema.parse({ n8n: version, mode: 'queue' });
  const target = processTarget({
    topology,
    workflows: [...files.values()],
    readyTimeoutMs: READY_MS,
  });
  const running = await target.up(tell, signal);
  try {
    const failed: string[] = [];
    for (const { name, requests } of chosen) {
      tell(`sending a request to ${name}`);
      const ending = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_MS)]);
      await running
        .ready(requests, () => undefined, ending)
        .catch((error: unknown) => {
          signal.throwIfAborted();
          failed.push(`${name}: ${messageOf(error)}`);
        });
    }
    return {
      inForce: await inForceIn(running),
      workloads: { responded: chosen.length - failed.length, failed },
    };
  } finally {
    await running.down(tell);
  }
}

async function inForceIn({ metrics }: Running): Promise<Record<string, Record<string, string>>> {
  const found: Record<string, Record<string, string>> = {};
  for (const { role, url } of metrics) found[role] = patchesIn(await (await fetch(url)).text());
  return found;
}
