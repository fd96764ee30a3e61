// Recommends values for a rate, proves them, then proves the same values with too little CPU: PROVEN and REFUTED.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { filesIn, RUN_FILES } from '../../cli/src/features/study/kept';
import type { ProofRecord } from '../../cli/src/features/recommend/record';
import { NotMeasured, type Part, type Study } from '../../cli/src/features/study/study';

const STARVED_CPU = '200m';
const QUESTION = [
  ...['--workload', 'last-node', '--rate', '30', '--slo', 'p95<1s', '--slo', 'errors<1%'],
  '--prove',
];
/** What the second part starves, in the folder of the study. */
const RECOMMENDED = 'recommended.yaml';

const parts: Part[] = [
  { name: 'recommended', seconds: 240 },
  { name: 'starved', seconds: 120 },
];

/** The values with too little CPU. */
function starved(values: string): string {
  const document = parseDocument(values);
  for (const kind of ['limits', 'requests']) {
    document.setIn(['main', 'resources', kind, 'cpu'], STARVED_CPU);
  }
  return document.toString();
}

export default {
  parts,
  async measured({ name }, { call, scratch, folder, isShort }) {
    const [recommended, file] = [join(folder, RECOMMENDED), join(scratch, 'values.yaml')];
    const isFirst = name === 'recommended';
    if (!isFirst && !existsSync(recommended)) {
      throw new NotMeasured('it rests on the values of the part recommended, measured before it');
    }
    if (!isFirst) writeFileSync(file, starved(readFileSync(recommended, 'utf8')));
    const { record } = await call<ProofRecord & { folder: string }>([
      ...['recommend', ...QUESTION, '--duration', isShort ? '10s' : '40s', '--out', scratch],
      ...(isFirst ? ['--find-budget', isShort ? '40s' : '2m', '--write', file] : []),
      ...(isFirst ? [] : ['--values', file]),
    ]);
    const { folder: proved, verdict, sentence, attempts } = record;
    if (attempts.length === 0) throw new NotMeasured(verdict);
    const values = readFileSync(file, 'utf8');
    if (isFirst) writeFileSync(recommended, values);
    // The folder in which the values lay says nothing of what was proved.
    const names = [
      'proof.json',
      ...attempts.flatMap(({ run }) => RUN_FILES.map((file) => join(run, file))),
    ];
    const files = filesIn(proved, names, [`${scratch}/`]).set('values.yaml', values);
    return { files, sentence: `${verdict}: ${sentence}` };
  },
} satisfies Study;
