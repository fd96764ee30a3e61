/** The files of a twin: a workload, its workflows, and what the stand-in answers. */
import { join } from 'node:path';
import { stringify } from 'yaml';
import { PRIVATE_FILE } from '../../record/folder';
import { refuseForeign, SEAL, writeUserFile, type UserFile } from '../../record/user-file';
import type { Twin } from './analysis/twin';

const RULES_BEGIN =
  '# Responses of the stand-in for this twin. Written by n8n-tuned twin; docs/stand-in.md describes the keys.\n';
/** JSON has no comments: its first key tells a file of ours from one of the user's, which n8n begins otherwise. */
const JSON_BEGIN = '{\n  "title": "Twin';
const MAKER = { writtenBy: 'n8n-tuned twin' };
const OURS = { meta: { ...MAKER, digest: SEAL } };
/** With its error workflow beside it, which is no execution of every request, a workflow stands in a list. */
const WORKFLOW_BEGIN = beginOf({ meta: MAKER });
const WORKFLOWS_BEGIN = beginOf([{ meta: MAKER }]);

/** All but the brackets at its end. */
function beginOf(value: unknown): string {
  return jsonText(value).replace(/[\s\]}]+$/, '');
}

/** One with SEAL in it. */
const fileOf = (path: string, begins: string, force: boolean): UserFile => ({
  ...{ path, option: 'the twin', begins, keeps: 'edits', force },
});

export interface TwinFiles {
  folder: string;
  /** The name of each file before `.twin`. */
  stem: string;
  force: boolean;
  /** For the user alone: values of executions are in them. */
  isPrivate: boolean;
}

/** A file each for the workflow and those that it calls, since each call is an execution of its own. Their names. */
export function writeTwin({ folder, stem, force, isPrivate }: TwinFiles, twin: Twin): string[] {
  const made: { file: UserFile; text: string }[] = [];
  const put = (name: string, text: string, begins: string): string => {
    made.push({ file: fileOf(join(folder, name), begins, force), text });
    return name;
  };
  const own = (workflow: object | undefined): object => ({ ...OURS, ...workflow });
  const [loaded, ...called] = twin.workflows;
  const list = [loaded, ...twin.onError].map(own);
  const files = [
    list.length > 1
      ? put(`${stem}.twin.workflow.json`, jsonText(list), WORKFLOWS_BEGIN)
      : put(`${stem}.twin.workflow.json`, jsonText(own(loaded)), WORKFLOW_BEGIN),
    ...called.map((workflow, index) =>
      put(`${stem}.twin.called-${String(index + 1)}.json`, jsonText(own(workflow)), WORKFLOW_BEGIN),
    ),
  ];
  const { rules, model } = twin;
  const answers = { seed: 1, rules, ...(model === null ? {} : { model }) };
  const rulesFile = put(
    `${stem}.twin.rules.yaml`,
    `${RULES_BEGIN}# Checksum, to detect edits: ${SEAL}\n` +
      stringify(answers, { aliasDuplicateObjects: false }),
    RULES_BEGIN,
  );
  put(`${stem}.twin.json`, jsonText(workloadOf(twin, files, rulesFile)), JSON_BEGIN);
  // None is written where one of them must stay.
  for (const { file } of made) refuseForeign(file);
  for (const { file, text } of made)
    writeUserFile(file, text, isPrivate ? PRIVATE_FILE : undefined);
  const names = made.map(({ file }) => file.path);
  return [names.at(-1) ?? '', ...names.slice(0, -1)];
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function workloadOf(
  { name, request, credentials, onError }: Twin,
  [file = '', ...alongside]: readonly string[],
  rules: string,
): unknown {
  const { method, path, body, headers, answers, expect } = request;
  return {
    ...{ title: 'Twin of a workflow', digest: SEAL, name: `twin-${name}`, answers },
    stresses: 'The workflow, with a stand-in for every external service.',
    request: {
      ...{ method, path },
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: { json: body } }),
    },
    response: { expect },
    variants: { native: { file, n8n: '>=1.0.0', alongside } },
    needs: ['upstream'],
    // How often one calls another, and what fails, its requests decide.
    ...(alongside.length + onError.length > 0 ? { executionsVary: true } : {}),
    standIn: { rules, credentials },
  };
}

export interface BlendPart {
  /** The name of its workload file. */
  file: string;
  /** Executions of its original. */
  weight: number;
}

/** One workload of several twins in the same folder, each as often as its original ran. */
export function writeBlend(
  { folder, stem, force }: Omit<TwinFiles, 'isPrivate'>,
  parts: readonly BlendPart[],
): string {
  const path = join(folder, `${stem}.twin.json`);
  const blend = {
    ...{
      title: 'Twins of the most frequently run workflows',
      digest: SEAL,
      name: `twin-${stem}`,
      answers: 'when-done',
    },
    stresses: 'The most frequently run workflows, weighted by how often each workflow ran.',
    blend: parts.map(({ file, weight }) => ({ workload: file, weight })),
  };
  writeUserFile(fileOf(path, JSON_BEGIN, force), jsonText(blend));
  return path;
}
