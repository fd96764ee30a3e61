// Plants one limit after the other in a real n8n, and keeps what each run was put down to. A part is one topology.
import { LIMITS, limitName } from '../../cli/src/analysis/limits/table';
import {
  NotMeasured,
  type Part,
  type Records,
  type Study,
} from '../../cli/src/features/study/study';
import { diagnose, type Diagnosis } from '../../test/process/planted-limits/diagnose';
import { STAGES } from '../../test/process/planted-limits/planted';

const ID = 'record';
/** Times of a case, and of the start of a topology. */
const SECONDS = { case: 25, start: 30 };

/** One record has the cases of all parts. */
interface Case extends Pick<Diagnosis, 'what' | 'limit'> {
  stage: string;
  isRight: boolean;
  when: string;
  limitedBy: object;
  ranked: object[];
}

const casesIn = (records: Records): Case[] =>
  (records.read(ID) as { cases: Case[] } | undefined)?.cases ?? [];

const nameOf = (stage: string): string => stage.replaceAll(' ', '-');
const stageOf = ({ name }: Part) => STAGES.find((stage) => nameOf(stage.name) === name);
const orderOf = ({ stage }: Case): number => STAGES.findIndex(({ name }) => name === stage);

const parts: Part[] = STAGES.map(({ name, cases }) => ({
  ...{ name: nameOf(name), seconds: SECONDS.start + SECONDS.case * cases.length },
}));

export default {
  parts,
  isDone: (part, records) => casesIn(records).some(({ stage }) => nameOf(stage) === part.name),
  async measured(part, { records, isShort, signal, tell }) {
    const stage = stageOf(part);
    if (stage === undefined) throw new Error(`no stage is called ${part.name}`);
    const cases: Case[] = [];
    await diagnose(
      stage,
      ({ limitedBy, ...found }) => {
        const { ranked = [], ...limited } = limitedBy;
        const when = new Date().toISOString();
        cases.push({ ...{ when, ...found, limitedBy: limited }, ranked: ranked.slice(0, 4) });
        const judged = found.isRight ? 'right' : 'WRONG';
        tell(
          `${judged}: ${limitName(found.limit)}: ${limitName(limited.limit)}: ${limited.evidence}`,
        );
      },
      isShort ? stage.cases.slice(0, 1) : stage.cases,
    );
    if (signal.aborted) throw new NotMeasured('it was interrupted');
    const others = casesIn(records).filter((one) => one.stage !== stage.name);
    const right = cases.filter(({ isRight }) => isRight).length;
    return {
      id: ID,
      record: {
        command: 'n8n-tuned study planted-limits',
        rows: LIMITS.map(({ role, resource }) => ({ role, resource })),
        cases: [...others, ...cases].sort((a, b) => orderOf(a) - orderOf(b)),
      },
      sentence: `${String(right)} of ${String(cases.length)} limits were named`,
    };
  },
} satisfies Study;
