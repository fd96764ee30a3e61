import type { ExportedWorkflow } from './exported-workflow';
import type { FileWebhook } from './triggers';
import { combined } from '../stand-in/bundled';
import type { StandInPlan } from '../stand-in/plan';
import { compareVersions } from '../ui/versions';
import type { Workload } from './workload';

/**
 * What must be known to put a workflow into n8n, as data: where it is placed, which credential it
 * needs, and how it is activated. The targets carry it out.
 *
 * n8n 2.x imports a workflow inactive and its command `publish:workflow` activates one at a time, a
 * whole start of n8n each; below 1.0 `update:workflow --all --active=true` deactivates. So workflows
 * are activated in the database, with the statement that those commands come down to, before n8n
 * starts. A running n8n does not notice it.
 */

/** The addresses that stand in the bundled workflows, so that they work as they are on one machine. */
export const bundledPlace: SeedingPlace = {
  upstreamUrl: 'http://127.0.0.1:5690',
  // What N8N_RESTRICT_FILE_ACCESS_TO allows by default in n8n's own image.
  filesFolder: '/home/node/.n8n-files',
};

export interface SeedingPlace {
  /** Address of the stand-in for n8n, without a slash at the end. */
  upstreamUrl: string;
  /** Absolute, there, writable, and allowed by N8N_RESTRICT_FILE_ACCESS_TO. */
  filesFolder: string;
}

/** The workflow with its addresses exchanged for those of this place. */
export function placed(workflow: ExportedWorkflow, place: Partial<SeedingPlace>): ExportedWorkflow {
  const { upstreamUrl, filesFolder } = { ...bundledPlace, ...place };
  const exchange = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return value
        .replaceAll(bundledPlace.upstreamUrl, upstreamUrl)
        .replaceAll(bundledPlace.filesFolder, filesFolder);
    }
    if (Array.isArray(value)) return value.map(exchange);
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, exchange(part)]));
    }
    return value;
  };
  return { ...workflow, nodes: exchange(workflow.nodes) as ExportedWorkflow['nodes'] };
}

/** For `n8n import:credentials`, which encrypts it; the workflows refer to its id. */
export interface Credential {
  id: string;
  name: string;
  type: string;
  data: Record<string, string>;
}

/** What the stand-in asks the calls of bundled workloads for. */
export const upstreamToken = 'load-test-token';

export function upstreamCredential(token: string = upstreamToken): Credential {
  return {
    id: 'load-test-upstream',
    name: 'Load test upstream',
    type: 'httpBearerAuth',
    data: { token },
  };
}

/** Credentials of twins, which lead to the stand-in where it is this time; each once. */
export function twinCredentials(
  workflows: readonly SeedWorkflow[],
  upstreamUrl: string,
): Credential[] {
  const all = workflows.flatMap(({ standIn }) => standIn?.credentials ?? []);
  return [...new Map(all.map((each) => [each.id, each])).values()].map(({ data, ...rest }) => ({
    ...rest,
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [
        key,
        value.replaceAll(bundledPlace.upstreamUrl, upstreamUrl),
      ]),
    ),
  }));
}

/** What the stand-in of all these answers; null: only what bundled workflows call. */
export function standInPlan(workflows: readonly SeedWorkflow[]): StandInPlan | null {
  const plans = workflows.flatMap(({ standIn }) => (standIn === undefined ? [] : [standIn.plan]));
  const isBundledCalled = workflows.some(
    ({ needs = [], standIn }) => needs.includes('upstream') && standIn === undefined,
  );
  return plans.length === 0 ? null : combined(plans, isBundledCalled);
}

/** The first n8n that runs the published version of a workflow, and not what was saved last. */
const PUBLISHES_FROM = '1.123.0';

/** For SQLite and PostgreSQL alike; to be run while n8n is down. Without ids, of all that are there. */
export function activationSql(n8nVersion: string, ids?: readonly string[]): string {
  const isPublished = compareVersions(n8nVersion, PUBLISHES_FROM) >= 0;
  const published = isPublished ? ', "activeVersionId" = "versionId"' : '';
  const which = ids === undefined ? '' : ` WHERE id IN (${ids.map(quoted).join(', ')})`;
  return `UPDATE workflow_entity SET active = TRUE${published}${which}`;
}

/** What `placed` does, to workflows that are in n8n 2.x's database already; n8n must be down. */
export function placingSql(database: 'sqlite' | 'postgresql', place: SeedingPlace): string[] {
  const [text, stored] = database === 'sqlite' ? ['', ''] : ['::text', '::json'];
  const nodes = (Object.keys(place) as (keyof SeedingPlace)[]).reduce(
    (sql, key) => `replace(${sql}, ${quoted(bundledPlace[key])}, ${quoted(place[key])})`,
    `nodes${text}`,
  );
  // The published version is run from its history.
  return ['workflow_entity', 'workflow_history'].map(
    (table) => `UPDATE ${table} SET nodes = (${nodes})${stored}`,
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export interface SeedWorkflow {
  name: string;
  /** The exported workflow as a file. */
  file: string;
  /** Beside n8n, as the catalogue says; left out: nothing. */
  needs?: Workload['needs'];
  /** Only a twin has it. */
  standIn?: { plan: StandInPlan; credentials: readonly Credential[] };
  /** Webhooks of the user's workflow that are loaded; every other trigger is off. Left out if no trigger is off. */
  loads?: readonly FileWebhook[];
}
