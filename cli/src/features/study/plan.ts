import { z } from 'zod';
import { parseYamlFile } from '../../ui/yaml-file';

/** What a command begins with; no shell reads it, but words may be quoted as for one. */
export const PROGRAMS = ['n8n-tuned', 'node'] as const;
/** Placeholder for the folder to which a command writes. */
export const OUT = '{out}';

const command = z
  .string()
  .refine((text) => PROGRAMS.some((name) => text.startsWith(`${name} `)), {
    error: `expected a command of ${PROGRAMS.join(' or ')}, like n8n-tuned sweep -f studies/cores.yaml --out ${OUT}`,
  })
  .refine((text) => !/[`$|;&<>\\]/.test(text), {
    error: 'expected words alone, without $, |, & or the like: no shell reads them',
  });

const length = z.strictObject({
  /** About how long it takes, all commands together. */
  minutes: z.number().positive(),
  commands: z.array(command).min(1),
});

const published = z.strictObject({
  /** By which a page finds it. */
  id: z.string().regex(/^[\w-]+$/, 'expected letters, digits and dashes'),
  what: z.string().min(1),
  value: z.number(),
  unit: z.string(),
});

export const studySchema = z.strictObject({
  question: z.string().min(1),
  /** The figures of the experiment that is repeated; none where nobody has published any. */
  published: z.array(published).prefault([]),
  /** Tools of the lab, by their names in lab/install.sh --list. */
  needs: z.array(z.string()).prefault([]),
  full: length,
  /** All of it in less than 3 minutes. */
  quick: length.optional(),
});

export type Study = z.infer<typeof studySchema>;
export interface NamedStudy extends Study {
  name: string;
  /** Length of the recorded run; `quick` if there is only a quick one. */
  kept: 'full' | 'quick' | 'none';
}

export type Published = Study['published'][number];
export type StudyLength = Study['full'];

export const parseStudy = (text: string, file: string): Study =>
  parseYamlFile(text, file, { name: 'study', schema: studySchema });

/** The words of a command of a study, with the folder that it writes to. */
export const wordsOf = (text: string, out: string): string[] =>
  [...text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2').replaceAll(OUT, out),
  );
