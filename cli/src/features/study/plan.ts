/** study.yaml: what a study asks, and those of its parts that are commands. */
import { z } from 'zod';
import { parseYamlFile } from '../../ui/yaml-file';

/** Placeholder for the folder to which a command writes. */
export const OUT = '{out}';

const command = z
  .string()
  .regex(
    /^n8n-tuned /,
    `expected a command such as n8n-tuned sweep -f studies/cores/cores.yaml --out ${OUT}`,
  )
  .refine((text) => !/[`$|;&<>\\]/.test(text), {
    error: 'expected plain words, without $, |, & and similar characters: no shell interprets them',
  });

/** By the name of the folder in which their records lie. */
const parts = z.record(
  z.string().regex(/^[\w-]+$/, 'expected letters, digits and dashes'),
  z.strictObject({
    /** About how long it takes. */
    minutes: z.number().positive(),
    commands: z.array(command).min(1),
    /** Whether the commands run in a network of their own, with which rules of iptables go. */
    network: z.literal('own').optional(),
  }),
);

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
  parts: parts.prefault({}),
  /** All of it in less than 3 minutes; empty where measure.ts has the parts of the quick form. */
  quick: parts.optional(),
});

export type StudyPlan = z.infer<typeof studySchema>;
export type Published = StudyPlan['published'][number];
export type CommandParts = z.infer<typeof parts>;

export const parseStudy = (text: string, file: string): StudyPlan =>
  parseYamlFile(text, file, { name: 'study', schema: studySchema });

/** The words of a command of a study, with the folder that it writes to. */
export const wordsOf = (text: string, out: string): string[] =>
  [...text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2').replaceAll(OUT, out),
  );
