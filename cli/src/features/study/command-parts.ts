/** Parts of a study that are commands, as study.yaml has them. */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { thisMachine } from '../../targets/machine';
import { EXIT, Mistake } from '../../ui/exit';
import { wordsOf, type CommandParts, type StudyPlan } from './plan';
import { studyRecordSchema, type StudyRecord } from './record';
import { NotMeasured, type Part, type Records, type Study } from './study';

interface CommandPart extends Part {
  commands: readonly string[];
  through: readonly string[];
}

const ID = 'study';

/** With a loopback and nothing else. It takes root, or a machine on which everyone may make user namespaces. */
const IN_OWN_NETWORK = [
  ...['unshare', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])],
  ...['--net', 'sh', '-c', 'PATH=$PATH:/usr/sbin:/sbin; ip link set lo up && exec "$@"', 'sh'],
];

export interface CommandStudy {
  name: string;
  plan: StudyPlan;
  length: StudyRecord['length'];
  /** Whether records are kept in the archive too, in which a part has some as soon as it was measured. */
  isKept: boolean;
}

/** One command after the other; one that measured badly is a result, one that was asked wrongly ends the study. */
export function commandParts({ name, plan, length, isKept }: CommandStudy): Study {
  const commands: CommandParts = (length === 'quick' ? plan.quick : plan.parts) ?? {};
  const recordIn = (records: Records): StudyRecord | null => {
    const record = records.read(ID);
    if (record === undefined) return null;
    const { success, data } = studyRecordSchema.safeParse(record);
    if (success) return data;
    throw new Mistake(
      `study.json in the folder of study ${name} was not written by this study: move it, or choose another --out.`,
    );
  };
  const study: Study<CommandPart> = {
    parts: Object.entries(commands).map(([part, { minutes, commands: own, network }]) => ({
      ...{ name: part, seconds: 60 * minutes, commands: own },
      through: network === 'own' ? IN_OWN_NETWORK : [],
    })),
    isAlone: () => true,
    isDone: (part, records) =>
      isKept
        ? records.has(part.name)
        : (recordIn(records)?.steps.some((step) => step.part === part.name) ?? false),
    async measured(part, { folder, records, show, signal }) {
      const before = recordIn(records);
      const record: StudyRecord = {
        ...{ schemaVersion: 1, kind: 'study', name, length, question: plan.question },
        ...{ published: plan.published, startedAt: new Date().toISOString(), seconds: 0 },
        ...{ machine: thisMachine(), loadAverageAtStart: loadavg()[0] ?? 0, isWhole: false },
        ...before,
        steps: before?.steps.filter((step) => step.part !== part.name) ?? [],
      };
      const codes: number[] = [];
      for (const command of part.commands) {
        const began = performance.now();
        const exitCode = await show(wordsOf(command, folder).slice(1), part);
        const seconds = Math.round(performance.now() - began) / 1000;
        if (exitCode === EXIT.mistake) {
          throw new Mistake(`study ${name} cannot continue: ${command} ended with exit code 2.`);
        }
        if (signal.aborted) throw new NotMeasured('it was interrupted');
        record.steps.push({ part: part.name, command, seconds, exitCode });
        codes.push(exitCode);
      }
      record.seconds = record.steps.reduce((sum, step) => sum + step.seconds, 0);
      record.isWhole = study.parts.every((one) =>
        record.steps.some((step) => step.part === one.name),
      );
      records.take(join(folder, part.name));
      records.write(ID, record);
      const worst = Math.max(...codes);
      return {
        sentence: worst === EXIT.fine ? 'measured' : `measured, exit code ${String(worst)}`,
      };
    },
  };
  return study;
}
