/** Measures the parts of a study that have no record, one after the other or in rounds; each is kept as soon as it is measured. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { thisMachine } from '../../targets/machine';
import { EXIT, Mistake } from '../../ui/exit';
import type { ProgramCall, ProgramEnded } from './call';
import type { Part, PartResult, State } from './record';
import { about } from './report/terminal';
import { BesideOthers, inRounds, Together } from './rounds';
import {
  isNotMeasured,
  NotMeasured,
  type CallOptions,
  type PartMeasured,
  type Records,
  type Study,
} from './study';

/** A study whose records are at hand. */
export interface StudySection {
  study: Study;
  records: Records;
}

export interface StudyOrder {
  name: string;
  sections: readonly StudySection[];
  /** With the parts of the quick form, shortened. */
  isQuick: boolean;
  /** Parts to measure, also where they have a record, or what names of parts begin with; none: all without a record. */
  named: readonly string[];
  withinSeconds: number | null;
  atOnce: number;
  /** Sweeps of this study leave here what they need to go on. */
  folder: string;
  root: string;
  /** Runs n8n-tuned. */
  run(words: readonly string[], call: ProgramCall, signal: AbortSignal): Promise<ProgramEnded>;
  /** Shows what the commands print. */
  shows: 'inherit' | 2;
  tell(sentence: string): void;
}

export interface Entry extends StudySection {
  part: Part;
}

export const entriesOf = ({
  sections,
  isQuick,
}: Pick<StudyOrder, 'sections' | 'isQuick'>): Entry[] =>
  sections.flatMap((section) => {
    const { parts, quickParts = parts } = section.study;
    return (isQuick ? quickParts : parts).map((part) => ({ ...section, part }));
  });

const isDone = ({ study, records, part }: Entry): boolean =>
  study.isDone?.(part, records) ??
  (records.read(part.name) !== undefined || records.has(part.name));
const isNeeded = ({ study, records, part }: Entry): boolean =>
  study.isNeeded?.(part, records) ?? true;
const isAlone = ({ study, records, part }: Entry): boolean =>
  study.isAlone?.(part, records) ?? false;
const kindOf = ({ study, part }: Entry): string => study.kindOf?.(part) ?? '';

export const stateOf = (entry: Entry): State =>
  isDone(entry) ? 'done' : isNeeded(entry) ? 'missing' : 'not needed';

/** Loads of parts that are not much longer than the first one may begin together with its load. */
const MUCH_LONGER = 1.5;

const isWith = (first: Entry, other: Entry): boolean =>
  !isAlone(first) &&
  !isAlone(other) &&
  first.study === other.study &&
  kindOf(first) === kindOf(other) &&
  other.part.seconds <= MUCH_LONGER * first.part.seconds;

export async function measureParts(order: StudyOrder, signal: AbortSignal): Promise<PartResult[]> {
  const { named, withinSeconds, atOnce, tell } = order;
  const candidates = chosen(order);
  refuseTooMany(order);
  const beganMs = performance.now();
  const besides = new BesideOthers();
  const results: PartResult[] = [];

  function isPossible({ part, study, records }: Entry): boolean {
    const why = study.whyNot?.(part, records) ?? null;
    if (why !== null && named.length > 0) {
      throw new Mistake(`${part.name} cannot be measured: ${why}`);
    }
    const passed = (performance.now() - beganMs) / 1000;
    return why === null && (withinSeconds === null || part.seconds <= withinSeconds - passed);
  }

  /** The next ones, taken from the candidates. */
  function next(): Entry[] {
    const round: Entry[] = [];
    for (const entry of signal.aborted ? [] : [...candidates]) {
      if (round.length === atOnce) break;
      if (round[0] !== undefined && !isWith(round[0], entry)) continue;
      candidates.splice(candidates.indexOf(entry), 1);
      if ((named.length > 0 || isNeeded(entry)) && isPossible(entry)) round.push(entry);
    }
    return round;
  }

  async function one(entry: Entry, round: readonly Entry[], together: Together | null) {
    const { name, seconds } = entry.part;
    tell(`${name}, ${about(seconds)}`);
    const startedMs = performance.now();
    const begun = besides.begins(round);
    const [startedAt, loadAverageAtStart] = [new Date().toISOString(), loadavg()[0] ?? 0];
    let result: Pick<PartResult, 'isMeasured' | 'sentence'>;
    try {
      const measured = await measuredOne(entry, order, together, signal);
      keep(entry, measured, {
        ...{ command: `n8n-tuned study ${order.name} --part ${name}`, ...entry.part, startedAt },
        ...{ machine: thisMachine(), loadAverageAtStart },
        ...(round.length > 1 ? { atOnce: round.length } : {}),
        ...(begun.max > 0 ? { beside: begun.max } : {}),
      });
      result = { isMeasured: true, sentence: measured.sentence };
    } catch (error) {
      if (!isNotMeasured(error) && !signal.aborted) throw error;
      const why = signal.aborted || !isNotMeasured(error) ? 'it was interrupted' : error.message;
      result = { isMeasured: false, sentence: `${name} was not saved: ${why}` };
    } finally {
      besides.ends(begun);
      together?.isReady(name);
    }
    tell(result.isMeasured ? `${name}: ${result.sentence}` : result.sentence);
    results.push({ name, ...result, seconds: Math.round((performance.now() - startedMs) / 1000) });
  }

  /** A round of one part has no other load that it could disturb: the next one waits for its end. */
  function begin(round: readonly Entry[]) {
    const together = round.length > 1 ? new Together(round.map(({ part }) => part.name)) : null;
    const all = Promise.all(round.map((entry) => one(entry, round, together)));
    const ended = all.finally(() => together?.end());
    const loadSeconds = Math.max(...round.map(({ part }) => part.loadSeconds ?? Infinity));
    const isTold = together !== null && Number.isFinite(loadSeconds);
    return { ended, loaded: isTold ? together.isLoadedFor(loadSeconds) : ended };
  }

  await inRounds<Entry>({
    ...{ next, begin },
    wantsAll: ([first, ...others]) => first === undefined || others.length === 0 || isAlone(first),
  });
  return results;
}

/** The parts that are named or, if none is, those without a record. */
function chosen(order: StudyOrder): Entry[] {
  const entries = entriesOf(order);
  if (order.named.length === 0) return entries.filter((entry) => !isDone(entry));
  return order.named.flatMap((name) => {
    const entry = entries.find(({ part }) => part.name === name);
    if (entry !== undefined) return entry;
    const group = entries.filter(({ part }) => part.name.startsWith(`${name}-`));
    if (group.length > 0) return group.filter((one) => !isDone(one));
    throw new Mistake(
      `study ${order.name} has no part '${name}': n8n-tuned study ${order.name} --list shows all parts.`,
    );
  });
}

function refuseTooMany({ sections, atOnce, name }: StudyOrder): void {
  const max = Math.max(...sections.map(({ study }) => study.maxAtOnce ?? 1));
  if (atOnce <= max) return;
  throw new Mistake(
    max === 1
      ? `--at-once does not work with study ${name}: each of its parts needs the whole machine.`
      : `--at-once is at most ${String(max)} for study ${name}.`,
  );
}

async function measuredOne(
  { part, study, records }: Entry,
  { root, folder, run, shows, isQuick, tell }: StudyOrder,
  together: Together | null,
  signal: AbortSignal,
): Promise<PartMeasured> {
  const scratch = mkdtempSync(join(tmpdir(), 'n8n-tuned-study-'));
  mkdirSync(folder, { recursive: true });
  const started = together === null ? [] : ['--start-file', together.file];
  /** The lines of several commands would not be told apart: what they say is not shown. */
  const hears = (text: string): void => together?.hears(part.name, text);
  try {
    return await study
      .measured(part, {
        async call<Printed>(words: readonly string[], options: CallOptions = {}) {
          const ended = await run(
            [...words, '--json', ...started],
            { ...options, cwd: root, prints: 'collected', ...(together === null ? {} : { hears }) },
            options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
          );
          const said = ended.lastLine === '' ? '' : `: ${ended.lastLine}`;
          const ending = `n8n-tuned ${words[0] ?? ''} ended with exit code ${String(ended.code)}${said}`;
          if (signal.aborted) throw new NotMeasured('it was interrupted');
          if (ended.printed === '') throw new NotMeasured(ending);
          return { code: ended.code, record: JSON.parse(ended.printed) as Printed, ending };
        },
        show: async (words, options = {}) =>
          (await run(words, { ...options, cwd: root, prints: shows }, signal)).code,
        ...{ scratch, folder, isShort: isQuick, records, signal, tell },
      })
      .then((measured) =>
        withoutPlaces(measured, { [scratch]: `results/${part.name}`, [root]: '.' }),
      );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Takes out the folders of one machine, which say nothing to another one. */
function withoutPlaces(measured: PartMeasured, places: Record<string, string>): PartMeasured {
  const shown = (text: string): string =>
    Object.entries(places).reduce((said, [place, name]) => said.replaceAll(place, name), text);
  const plain = (record: object): object => JSON.parse(shown(JSON.stringify(record))) as object;
  const { record, records, files } = measured;
  return {
    ...measured,
    ...(record && { record: plain(record) }),
    ...(records && { records: new Map([...records].map(([id, one]) => [id, plain(one)])) }),
    ...(files && { files: new Map([...files].map(([path, text]) => [path, shown(text)])) }),
  };
}

function keep(
  { part, records }: Entry,
  { record, id = part.name, records: several = new Map(), files }: PartMeasured,
  head: object,
): void {
  if (record !== undefined) records.write(id, { ...head, ...record });
  for (const [one, own] of several) records.write(one, { ...head, ...own });
  if (files !== undefined) records.replace(part.name, files);
}

export const exitCodeOf = (results: readonly PartResult[]): number =>
  results.every(({ isMeasured }) => isMeasured) ? EXIT.fine : EXIT.invalid;
