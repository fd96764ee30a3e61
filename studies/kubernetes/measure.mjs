// Each command on a real cluster, once, and how much n8n sustains there compared with processes at the same limits.
//
//   make build cluster-up
//   node studies/kubernetes/measure.mjs --list                  what there is, what has a record, and how long it takes
//   lab/cluster/cluster exec node studies/kubernetes/measure.mjs               the next part without a record
//   lab/cluster/cluster exec node studies/kubernetes/measure.mjs --within 45m  one after the other, as long as the next one fits
//   node studies/kubernetes/measure.mjs find-regular-process
//
// A part is one call of the command, and wants the machine for itself. Those of the target kubernetes are left out where no
// KUBECONFIG names a cluster; a proof waits for the search that it rests on. What is invalid is not kept. A sweep that was
// stopped goes on where it was. With SHORT=1 a part is tried: its record is printed.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordsOf } from '../archive.mjs';
import { measureParts, NotMeasured, root } from '../in-parts.mjs';
import { figuresOf } from './figures.mjs';
import { commandOf, COMPARED, PARTS, peerPart, valuesIn } from './parts.mjs';

const kept = recordsOf('kubernetes', 'parts/');
const peers = recordsOf('charts', 'peers/');
const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

/** Verdicts of a search with an answer: that nothing is sustained, with these limits, says more of the machine. */
const TELLING = ['found', 'not confirmed', 'inconclusive'];

/** A cluster of this machine takes CPU also while processes are measured. */
function hasKubelet() {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/comm`, 'utf8').trim() === 'kubelet';
    } catch {
      return false; // It has just ended.
    }
  });
}

const MEASURED = {
  run({ code, record }) {
    const { sentence } = record.verdict;
    if (code > 1) throw new NotMeasured(sentence);
    return { record: { run: { ...record, folder: undefined } }, sentence };
  },
  find({ record }, { isShort }) {
    const { folder, ...search } = record;
    if (!TELLING.includes(search.verdict) && !isShort) throw new NotMeasured(search.sentence);
    const read = search.probes.map(({ run }) => readJson(folder, run, 'run.json'));
    const runs = search.probes.map(({ run }, i) =>
      figuresOf(run, read[i], readFileSync(join(folder, run, 'samples.csv'), 'utf8')),
    );
    const deployed = read[0]?.target.deployed ?? null;
    return { record: { search, runs, deployed }, sentence: search.sentence };
  },
  sweep({ code, record }) {
    const { folder, ...sweep } = record;
    if (code !== 0) throw new NotMeasured('it did not come to its end: call it again');
    rmSync(folder, { recursive: true, force: true });
    const done = `${sweep.cells.length} of ${sweep.steps.length} measurements`;
    return { record: { sweep }, sentence: done };
  },
  prove({ record }, { out }) {
    const { verdict, attempts } = record;
    const { sentence } = attempts.at(-1);
    if (verdict === 'INVALID') throw new NotMeasured(sentence);
    const values = readFileSync(valuesIn(out), 'utf8');
    return {
      record: { proof: { verdict, attempts }, values },
      sentence: `${verdict}: ${sentence}`,
    };
  },
};

async function measured(part, { call, out: scratch, isShort }) {
  // What a sweep has measured must outlast its interruption.
  const out = part.kind === 'sweep' ? join(root, 'results/kubernetes') : scratch;
  const evidence = join(scratch, 'evidence');
  if (part.needs !== undefined) {
    mkdirSync(evidence);
    const { search } = kept.read(part.needs);
    writeFileSync(join(evidence, 'find.json'), JSON.stringify(search));
  }
  const startedAt = new Date().toISOString();
  const clusterRuns = hasKubelet();
  const command = commandOf(part, { out, evidence, isShort });
  const { record, sentence } = MEASURED[part.kind](await call(command), { out, isShort });
  return { record: { startedAt, clusterRuns, command, ...record }, sentence };
}

function whyNot({ target, needs }) {
  if (target === 'kubernetes' && (process.env.KUBECONFIG ?? '') === '') {
    return 'it needs a cluster: run it with lab/cluster/cluster exec, or set KUBECONFIG';
  }
  if (needs !== undefined && kept.read(needs) === null)
    return `it rests on ${needs}, which has no record`;
  return null;
}

await measureParts({
  ...{ parts: PARTS, kept, whyNot, measured },
  about: 'studies/kubernetes/measure.mjs',
  shownOut: 'results/kubernetes',
  notes: COMPARED.map((part) => {
    const name = peerPart(part);
    const state = peers.read(name) !== null ? 'done   ' : 'missing';
    return `${state} ${name} is measured by lab/cluster/cluster exec node studies/charts/peers.mjs ${part.workload}-${part.mode}`;
  }),
});
