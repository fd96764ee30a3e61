import { isUtf8 } from 'node:buffer';
import { dirname, join, resolve } from 'node:path';
import { ownRequest, withHeaders, type OwnRequest } from '../../../loadtests/lib/own-request';
import {
  findWorkload,
  floorOf,
  parametersOf,
  requestsOf,
  variantOf,
  type Choice,
  type LoadRequest,
  type ParameterValues,
} from '../../../loadtests/lib/workload';
import { exportedIn, readCatalogue, readWorkload } from '../catalogue/read';
import {
  filesOf,
  type Catalogue,
  type Variant,
  type VariantName,
  type Workload,
} from '../catalogue/workload';
import { MASK, maskOf } from './secrets/mask';
import { withoutSecretParts } from './secrets/address';
import { isWithin } from './environment';
import { isLegacy } from './topology';
import { loadedBy, onlyRequest, type OwnFile } from './own-workflows';
import type { RecordedWorkload } from './recorded';
import type { SeedWorkflow } from '../catalogue/seeding';
import { messageOf, Mistake } from '../ui/exit';
import { readPlainBytes, readPlainFile } from '../linux/plain-file';
import { parseRules } from '../stand-in/rules';

/** What the user asks for: a bundled workload, a file with their own, or a request. */
export interface WorkloadChoice {
  /** A name, or the path of a workload file. */
  workload?: string | undefined;
  variant?: string | undefined;
  parameters?: Record<string, string | number> | undefined;
  request?: string | undefined;
  headers?: readonly string[] | undefined;
  body?: string | undefined;
  expect?: readonly string[] | undefined;
  requestIdAt?: string | undefined;
  /** Exported workflows to be put into n8n. */
  workflows?: readonly string[] | undefined;
}

/** Ready to be seeded, loaded and recorded. */
export interface ChosenWorkload {
  recorded: RecordedWorkload;
  requests: LoadRequest[];
  workflows: SeedWorkflow[];
  /** What the user should know of it, a line each. */
  notes?: string[];
}

/** The name of a workload that is a request given on the command line. */
const OWN_REQUEST = 'request';
/** Requests of the user's own all have one name; what tells them apart is the request itself. */
export const workloadName = ({ name, title }: Pick<RecordedWorkload, 'name' | 'title'>): string =>
  name === OWN_REQUEST ? title : name;
/** A name, rather than a file, has neither a folder nor an extension. */
export const isWorkloadFile = (workload: string): boolean => /[/\\]|\.(ya?ml|json)$/.test(workload);

/** `workflowsFolder` holds catalogue.json; `n8n` is the version that it is for, null if nobody knows it. */
export function chooseWorkload(
  choice: WorkloadChoice,
  workflowsFolder: string,
  n8n: string | null,
): ChosenWorkload {
  const own = (choice.workflows ?? []).map((name): OwnFile => {
    const file = resolve(name);
    return { name, file, workflows: exportedIn({ name, file }) };
  });
  if (choice.request !== undefined && choice.workload !== undefined) {
    throw new Mistake('--workload and --request both select what to load: use only one of them.');
  }
  if (choice.request !== undefined) return ofRequest(choice, choice.request, own);
  // What the user brings is what is loaded.
  if (own.length > 0 && choice.workload === undefined) {
    return ofRequest(choice, onlyRequest(own), own);
  }
  const name = choice.workload ?? 'last-node';
  const bundled = readCatalogue(join(workflowsFolder, 'catalogue.json'));
  const { catalogue, workload, folderOf } = isWorkloadFile(name)
    ? withFile(bundled, name, workflowsFolder)
    : {
        ...{ catalogue: bundled, workload: findWorkload(bundled.workloads, name) },
        folderOf: () => workflowsFolder,
      };
  const variant = fittingVariant(workload, choice.variant, n8n !== null && isLegacy(n8n), bundled);
  const picked = variantOf(workload, variant);
  const requests = withBody(
    withHeaders(
      requestsOf(catalogue, workload.name, { variant, parameters: choice.parameters }),
      choice.headers ?? [],
    ),
    choice.body,
  );
  const names = [...new Set(requests.map((request) => request.workload))];
  const parts = names.map((part) => findWorkload(catalogue.workloads, part));
  if (n8n !== null) refuseOlder(parts, variant, n8n);
  const { workflows, notes } = loadedBy(requests, own);
  return {
    recorded: {
      name: workload.name,
      title: workload.title,
      variant: picked,
      method: requests[0]?.method ?? '',
      ...recordedParts(catalogue, workload, { variant, parameters: choice.parameters }),
      answers: workload.answers,
      latencyFloorMs: floorOf(requests),
      ...executionsOf(parts, variant),
    },
    requests,
    workflows: [
      ...parts.flatMap((part) => workflowOf(part, variant, folderOf(part))),
      ...workflows,
    ],
    notes,
  };
}

/** Its parameters and its path, without the texts that are given for parameters, which may be secrets. */
function recordedParts(
  catalogue: Catalogue,
  workload: Workload,
  choice: Choice,
): Pick<RecordedWorkload, 'parameters' | 'path'> {
  const all = Object.entries(parametersOf(workload, choice.parameters));
  const isShown = (name: string, value: number | string): boolean =>
    typeof value === 'number' || workload.parameters[name]?.recorded === true;
  const masked = (mask: (value: unknown) => string): ParameterValues =>
    Object.fromEntries(
      all.map(([name, value]) => [name, isShown(name, value) ? value : mask(value)]),
    );
  const requests = requestsOf(catalogue, workload.name, {
    ...choice,
    parameters: masked(() => MASK),
  });
  return {
    path: requests.map(({ path }) => withoutSecretParts(path)).join(' '),
    parameters: masked(maskOf),
  };
}

/** Which variant runs on this line of n8n; refuses one that does not. */
function fittingVariant(
  { name, variants, blend }: Workload,
  asked: string | undefined,
  legacy: boolean,
  { workloads }: Catalogue,
): string | undefined {
  const hasVariants = Object.keys(variants).length > 0;
  if (!legacy && asked === 'legacy') {
    throw new Mistake(
      `the variant legacy of ${name} is for n8n before 1.0: remove --variant, or choose --n8n 0.221.2.`,
    );
  }
  if (!legacy) return asked;
  if (asked === 'legacy' || (asked === undefined && variants.legacy !== undefined)) return 'legacy';
  if (!hasVariants && blend === undefined) return asked;
  const fitting = workloads.filter((each) => each.variants.legacy !== undefined);
  throw new Mistake(
    `${name} has no variant for n8n before 1.0: choose one of ${fitting.map((each) => each.name).join(', ')}.`,
  );
}

function refuseOlder(parts: readonly Workload[], variant: string | undefined, n8n: string): void {
  // Whatever starts n8n refuses a text that is not a version, in a sentence that says so.
  if (!/^\d+\.\d+\.\d+/.test(n8n)) return;
  for (const part of parts) {
    const range = chosenVariant(part, variant)?.n8n;
    if (range === undefined || range.startsWith('<') || isWithin(n8n, range)) continue;
    throw new Mistake(
      `${part.name} needs n8n ${range.replace(/^>=/, '')} or newer: choose such a version with --n8n, or another workload.`,
    );
  }
}

function ofRequest(
  choice: WorkloadChoice,
  request: string,
  own: readonly OwnFile[],
): ChosenWorkload {
  const ready = ownRequest({
    request,
    headers: choice.headers ?? [],
    ...(choice.body === undefined ? {} : bodyFrom(choice.body)),
    expect: choice.expect ?? [],
    requestIdAt: choice.requestIdAt,
  });
  const path = withoutSecretParts(ready.path);
  return {
    recorded: {
      name: OWN_REQUEST,
      title: `${ready.method} ${path}`,
      variant: null,
      method: ready.method,
      path,
      parameters: {},
      answers: 'when-done',
      latencyFloorMs: 0,
    },
    requests: [ready],
    ...loadedBy([ready], own),
  };
}

/** Such as rows in place of the one body that a twin has recorded. */
function withBody(requests: LoadRequest[], body: string | undefined): LoadRequest[] {
  if (body === undefined) return requests;
  const [only, another] = requests;
  if (only === undefined || another !== undefined) {
    throw new Mistake(
      '--body works only with a single request, and the workload has several: remove it.',
    );
  }
  const { method, path } = only;
  const given = ownRequest({ request: `${method} ${path}`, ...bodyFrom(body) });
  return [{ ...only, body: given.body, headers: { ...only.headers, ...given.headers } }];
}

/** Like curl: `@order.json` is the content of that file. A file of JSON Lines has a body in each line. */
function bodyFrom(text: string): Pick<OwnRequest, 'body' | 'bodyIsBase64' | 'rows'> {
  if (!text.startsWith('@')) return { body: text };
  if (/\.(jsonl|ndjson)$/i.test(text)) return { rows: rowsIn(text.slice(1)) };
  try {
    const content = readPlainBytes(text.slice(1));
    return isUtf8(content)
      ? { body: content.toString('utf8') }
      : { body: content.toString('base64'), bodyIsBase64: true };
  } catch (error) {
    throw new Mistake(`the body ${text} cannot be read: ${messageOf(error)}`);
  }
}

/** More would not fit into what a generator in a cluster is given. */
const MAX_ROWS_BYTES = 32 * 1024 * 1024;

function rowsIn(file: string): string[] {
  let text: string;
  try {
    text = readPlainFile(file);
  } catch (error) {
    throw new Mistake(`the body @${file} cannot be read: ${messageOf(error)}`);
  }
  if (text.length > MAX_ROWS_BYTES) {
    throw new Mistake(
      `${file} has more than 32 MiB of rows: use fewer rows; the load generator repeats them in turn.`,
    );
  }
  const rows = text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      JSON.parse(line);
    } catch {
      throw new Mistake(`${file}:${String(index + 1)} is not JSON: write one JSON value per line.`);
    }
    return [line];
  });
  if (rows.length === 0) throw new Mistake(`${file} has no rows: write one JSON value per line.`);
  return rows;
}

interface FromFile {
  catalogue: Catalogue;
  workload: Workload;
  /** To which the paths of a workload are relative. */
  folderOf: (workload: Workload) => string;
}

/** A workload file has the shape of one workload of the catalogue. A blend may name other files, relative to itself. */
function withFile(bundled: Catalogue, file: string, workflowsFolder: string): FromFile {
  const own = readWorkload(file);
  const folder = dirname(resolve(file));
  const folders = new Map([[own.name, folder]]);
  const parts = (own.blend ?? [])
    .filter(({ workload }) => isWorkloadFile(workload))
    .map(({ workload: path }) => {
      const part = readWorkload(join(folder, path));
      if (part.blend !== undefined) {
        throw new Mistake(`${file} blends ${path}, which is also a blend: list its parts instead.`);
      }
      if (folders.has(part.name)) {
        throw new Mistake(
          `${file} has two workloads with the name ${part.name}: rename one of them.`,
        );
      }
      folders.set(part.name, dirname(join(folder, path)));
      return { path, part };
    });
  const blend = own.blend?.map(({ workload, weight }) => ({
    workload: parts.find(({ path }) => path === workload)?.part.name ?? workload,
    weight,
  }));
  const workload = blend === undefined ? own : { ...own, blend };
  const others = bundled.workloads.filter(({ name }) => !folders.has(name));
  return {
    catalogue: { ...bundled, workloads: [workload, ...parts.map(({ part }) => part), ...others] },
    workload,
    folderOf: ({ name }) => folders.get(name) ?? workflowsFolder,
  };
}

/** A called workflow is an execution too. Nothing where the parts of a blend differ. */
function executionsOf(
  parts: readonly Workload[],
  variant: string | undefined,
): Pick<RecordedWorkload, 'executionsPerRequest'> {
  const counts = new Set(
    parts.map((part) => {
      const chosen = chosenVariant(part, variant);
      return chosen === undefined || part.executionsVary ? 0 : 1 + chosen.alongside.length;
    }),
  );
  const [count] = counts;
  return counts.size === 1 && count !== undefined && count > 0
    ? { executionsPerRequest: count }
    : {};
}

function workflowOf(
  workload: Workload,
  variant: string | undefined,
  folder: string,
): SeedWorkflow[] {
  const chosen = chosenVariant(workload, variant);
  if (chosen === undefined) return [];
  const standIn = standInOf(workload, folder);
  return filesOf(workload, chosen).map((file) => ({
    name: workload.name,
    file: join(folder, file),
    needs: workload.needs,
    ...(standIn === null ? {} : { standIn }),
  }));
}

function standInOf(
  { standIn }: Workload,
  folder: string,
): NonNullable<SeedWorkflow['standIn']> | null {
  if (standIn === undefined) return null;
  const file = join(folder, standIn.rules);
  try {
    return { plan: parseRules(readPlainFile(file), file), credentials: standIn.credentials };
  } catch (error) {
    if (error instanceof Mistake) throw error;
    throw new Mistake(`${file}, the rules of the stand-in, cannot be read: ${messageOf(error)}.`);
  }
}

function chosenVariant(workload: Workload, variant: string | undefined): Variant | undefined {
  const picked = variantOf(workload, variant);
  return picked === null ? undefined : workload.variants[picked as VariantName];
}
