// Each command on a real cluster, once, and how much n8n sustains there compared with processes at the same limits.
//
// A part is one call of the command. What is invalid is not kept. A sweep that was stopped goes on where it was.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FindRecord } from '../../cli/src/features/find/record';
import type { ProofRecord } from '../../cli/src/features/recommend/record';
import {
  NotMeasured,
  type Called,
  type Measuring,
  type Study,
} from '../../cli/src/features/study/study';
import type { SweepRecord } from '../../cli/src/features/sweep/record';
import type { RunRecord } from '../../cli/src/record/run-record';
import { figuresOf } from './figures';
import { commandOf, PARTS, valuesIn, type PlannedPart } from './parts';

/** Verdicts of a search with an answer: that nothing is sustained, with these limits, says more of the machine. */
const TELLING = ['found', 'not confirmed', 'inconclusive'];

type InFolder<Record> = Called<Record & { folder: string }>;
interface Came {
  record: object;
  sentence: string;
}

/** A cluster of this machine takes CPU also while processes are measured. */
function hasKubelet(): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/comm`, 'utf8').trim() === 'kubelet';
    } catch {
      return false; // It has just ended.
    }
  });
}

function cameOfRun({ code, record }: InFolder<RunRecord>): Came {
  const { sentence } = record.verdict;
  if (code > 1) throw new NotMeasured(sentence);
  return { record: { run: { ...record, folder: undefined } }, sentence };
}

function cameOfFind({ record }: InFolder<FindRecord>, isShort: boolean): Came {
  const { folder, ...find } = record;
  if (!TELLING.includes(find.verdict) && !isShort) throw new NotMeasured(find.sentence);
  const read = find.probes.map(
    ({ run }) => JSON.parse(readFileSync(join(folder, run, 'run.json'), 'utf8')) as RunRecord,
  );
  const runs = read.map((one, i) => {
    const run = find.probes[i]?.run ?? '';
    return figuresOf(run, one, readFileSync(join(folder, run, 'samples.csv'), 'utf8'));
  });
  const deployed = read[0]?.target.deployed ?? null;
  return { record: { find, runs, deployed }, sentence: find.sentence };
}

function cameOfSweep({ code, record }: InFolder<SweepRecord & { cells: unknown[] }>): Came {
  const { folder, ...sweep } = record;
  if (code !== 0) throw new NotMeasured('it did not come to its end: call it again');
  rmSync(folder, { recursive: true, force: true });
  const [done, all] = [sweep.cells.length, sweep.steps.length];
  return { record: { sweep }, sentence: `${String(done)} of ${String(all)} measurements` };
}

function cameOfProof({ record }: Called<ProofRecord>, out: string): Came {
  const { verdict, attempts } = record;
  const sentence = attempts.at(-1)?.sentence ?? '';
  if (verdict === 'INVALID') throw new NotMeasured(sentence);
  const values = readFileSync(valuesIn(out), 'utf8');
  return { record: { proof: { verdict, attempts }, values }, sentence: `${verdict}: ${sentence}` };
}

async function cameOf(
  { kind }: PlannedPart,
  words: string[],
  { call, isShort }: Measuring,
  out: string,
): Promise<Came> {
  switch (kind) {
    case 'run':
      return cameOfRun(await call(words));
    case 'find':
      return cameOfFind(await call(words), isShort);
    case 'sweep':
      return cameOfSweep(await call(words));
    case 'prove':
      return cameOfProof(await call(words), out);
  }
}

export default {
  parts: PARTS,
  inside: 'parts/',
  whyNot(part, records) {
    if (part.target === 'kubernetes' && (process.env['KUBECONFIG'] ?? '') === '') {
      return 'it needs a cluster: run it with lab/cluster/cluster exec, or set KUBECONFIG';
    }
    if (part.kind === 'prove' && records.read(part.needs) === undefined)
      return `it rests on ${part.needs}, which has no record`;
    return null;
  },
  async measured(part, measuring) {
    const { records, scratch, folder, isShort } = measuring;
    // What a sweep has measured must outlast its interruption.
    const out = part.kind === 'sweep' ? folder : scratch;
    const evidence = join(scratch, 'evidence');
    if (part.kind === 'prove') {
      mkdirSync(evidence);
      const { find } = records.read(part.needs) as { find: FindRecord };
      writeFileSync(join(evidence, 'find.json'), JSON.stringify(find));
    }
    const clusterRuns = hasKubelet();
    const command = commandOf(part, { out, evidence, isShort });
    const { record, sentence } = await cameOf(part, command, measuring, out);
    return { record: { clusterRuns, command, ...record }, sentence };
  },
} satisfies Study<PlannedPart>;
