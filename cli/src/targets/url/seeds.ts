import { randomUUID } from 'node:crypto';
import type { LoadRequest } from '../../../../loadtests/lib/workload';
import type { ExportedWorkflow } from '../../catalogue/exported-workflow';
import { copyOfCall, nameOfCall, type MovedWebhook } from '../../catalogue/own-copy';
import { exportedIn } from '../../catalogue/read';
import {
  bundledPlace,
  placed,
  twinCredentials,
  upstreamCredential,
  type Credential,
  type SeedingPlace,
  type SeedWorkflow,
} from '../../catalogue/seeding';
import { answers } from '../../catalogue/triggers';
import { demandingKey, keyCredential, type WebhookKey } from '../../catalogue/webhook-key';
import { LeftBehind } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import { ApiRefusal, type N8nRequests } from './api';
import type { UrlJournal, PutIn } from './journal';
import { keptText, leftText, removeMade } from './removal';

/** In an n8n that is somebody's: all that is put in is of one call, and is taken out again. */
export interface SeedsOfCall {
  journal: UrlJournal;
  /** The webhooks demand it. */
  key: WebhookKey;
  warn(text: string): void;
}

/** Puts workflows into an n8n through its public API. */
export class ApiSeeds {
  private readonly webhooks: MovedWebhook[] = [];

  constructor(
    private readonly api: N8nRequests,
    /** Null in a fresh n8n of our own, which goes as a whole. */
    private readonly ofCall: SeedsOfCall | null = null,
  ) {}

  async seed(
    workflows: readonly SeedWorkflow[],
    place: Partial<SeedingPlace>,
    tell: Progress,
  ): Promise<void> {
    // n8n gives ids of its own: to each of the files', the one that it has there.
    const ids = new Map<string, string>();
    if (workflows.some(({ needs }) => needs?.includes('credential') === true)) {
      tell('creating a credential for a workflow in n8n');
      const { id: bundledId, ...credential } = upstreamCredential();
      ids.set(bundledId, (await this.seedCredential(credential)).id);
    }
    const { upstreamUrl } = { ...bundledPlace, ...place };
    for (const { id, ...credential } of twinCredentials(workflows, upstreamUrl)) {
      ids.set(id, (await this.seedCredential(credential)).id);
    }
    const key = this.ofCall?.key;
    const demanded =
      key === undefined || workflows.length === 0
        ? null
        : await this.seedCredential(keyCredential(key));
    for (const workflow of calledFirst(workflows.flatMap(exportedIn))) {
      tell(`importing the workflow ${workflow.name ?? ''} into n8n`);
      const here = this.copied(renamed(placed(workflow, place), ids));
      const known = new Set(ids.values());
      const id = await this.seedWorkflow(
        demanded === null ? here : demandingKey(here, demanded),
        known,
      );
      if (workflow.id !== undefined) ids.set(String(workflow.id), id);
    }
  }

  /** To the webhooks that were put in, with their key. */
  addressed(requests: readonly LoadRequest[]): LoadRequest[] {
    return requests.map((request) => {
      const webhook = this.webhooks.find((each) => answers(each, request));
      if (webhook === undefined || this.ofCall === null) return request;
      const { header, value } = this.ofCall.key;
      return {
        ...request,
        path: webhook.newPath(request.path),
        headers: { ...request.headers, [header]: value },
      };
    });
  }

  /** All that was put in; rejects with what could not be removed. */
  async takeOut(): Promise<void> {
    if (this.ofCall === null) return;
    const { journal, warn } = this.ofCall;
    const left = await removeMade(this.api, journal.made, {
      onGone: (made) => {
        journal.gone(made);
      },
      onKept: (made, name) => {
        journal.gone(made);
        warn(`${keptText(made, name)}.`);
      },
    });
    if (left.length > 0) throw new LeftBehind(`${leftText(journal.baseUrl, left)}.`);
  }

  private copied(workflow: ExportedWorkflow): ExportedWorkflow {
    if (this.ofCall === null) return workflow;
    const copy = copyOfCall(workflow, this.ofCall.journal.call, randomUUID);
    this.webhooks.push(...copy.webhooks);
    return copy.workflow;
  }

  private async seedCredential({
    name,
    ...credential
  }: Omit<Credential, 'id'>): Promise<{ id: string; name: string }> {
    const call = this.ofCall?.journal.call;
    const ownName = call === undefined ? name : nameOfCall(name, call);
    const { id } = await this.made('credential', ownName, () =>
      this.api.ask<{ id: string }>('POST', '/credentials', {
        body: { ...credential, name: ownName },
      }),
    );
    return { id, name: ownName };
  }

  /** `known`: ids of what was put in before. */
  private async seedWorkflow(
    workflow: ExportedWorkflow,
    known: ReadonlySet<string>,
  ): Promise<string> {
    const post = (taken: TakenWorkflow): Promise<{ id: string; taken: TakenWorkflow }> =>
      this.made('workflow', taken.body.name, async () => {
        const { id } = await this.api.ask<{ id: string }>('POST', '/workflows', {
          body: taken.body,
        });
        return { id, taken };
      });
    const { id, taken } = await post(takenOf(workflow, known)).catch((error: unknown) => {
      // An older n8n says so of a setting that it does not know.
      const isOfSettings =
        error instanceof ApiRefusal && error.status === 400 && /settings/.test(error.message);
      if (!isOfSettings) throw error;
      return post(takenOf(workflow, known, 'first'));
    });
    if (taken.leftOut.length > 0) {
      this.ofCall?.warn(
        `n8n's API rejects these parts of the workflow ${workflow.name ?? ''}, so it runs without them: ${taken.leftOut.join(', ')}.`,
      );
    }
    await this.api.ask('POST', `/workflows/${id}/activate`);
    return id;
  }

  /** Written down first, then made: whenever this process ends, a later one knows what to look for. */
  private async made<T extends { id: string }>(
    kind: PutIn['kind'],
    name: string,
    make: () => Promise<T>,
  ): Promise<T> {
    const journal = this.ofCall?.journal;
    const intent = journal?.intend(kind, name);
    try {
      const made = await make();
      if (intent !== undefined) journal?.known(intent, made.id);
      return made;
    } catch (error) {
      // It was refused, so there is none of it.
      const isRefused = error instanceof ApiRefusal && error.status < 500;
      if (intent !== undefined && isRefused) journal?.gone(intent);
      throw error;
    }
  }
}

/** Workflows that others call before those: n8n gives each an id of its own, which its callers must know. */
export function calledFirst(workflows: readonly ExportedWorkflow[]): ExportedWorkflow[] {
  const order: ExportedWorkflow[] = [];
  const add = (workflow: ExportedWorkflow, callers: readonly ExportedWorkflow[]): void => {
    // Two that call each other cannot both be first.
    if (order.includes(workflow) || callers.includes(workflow)) return;
    for (const other of workflows) {
      if (other !== workflow && mentions([workflow.nodes, workflow['settings']], other.id)) {
        add(other, [...callers, workflow]);
      }
    }
    order.push(workflow);
  };
  for (const workflow of workflows) add(workflow, []);
  return order;
}

/** With every text in its nodes and settings that is one of these ids exchanged for what it has become. */
export function renamed(
  workflow: ExportedWorkflow,
  ids: ReadonlyMap<string, string>,
): ExportedWorkflow {
  const exchange = (value: unknown): unknown => {
    if (typeof value === 'string') return ids.get(value) ?? value;
    if (Array.isArray(value)) return value.map(exchange);
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, exchange(part)]));
    }
    return value;
  };
  const nodes = exchange(workflow.nodes) as ExportedWorkflow['nodes'];
  return { ...workflow, nodes, settings: exchange(workflow['settings']) };
}

function mentions(value: unknown, id: string | number | undefined): boolean {
  if (id === undefined) return false;
  return JSON.stringify(value).includes(JSON.stringify(String(id)));
}

/** Settings that n8n's API takes of an exported workflow, since n8n has had it; any other makes it refuse the workflow. */
const FIRST_SETTINGS = [
  ...['saveExecutionProgress', 'saveManualExecutions', 'saveDataErrorExecution'],
  ...['saveDataSuccessExecution', 'executionTimeout', 'timezone'],
];
/** Settings of n8n 2.41; older versions refuse some of them. */
const LATER_SETTINGS = [
  ...['executionOrder', 'callerPolicy', 'callerIds', 'timeSavedMode', 'timeSavedPerExecution'],
  'redactionPolicy',
];

/** They say nothing of how it runs, or are n8n's own notes on it. */
const BOOKKEEPING = new Set([
  ...['id', 'name', 'nodes', 'connections', 'settings', 'active', 'activeVersion', 'isArchived'],
  ...['activeVersionId', 'createdAt', 'updatedAt', 'versionId', 'versionCounter', 'triggerCount'],
  ...['meta', 'shared', 'description', 'nodeGroups', 'parentFolderId', 'hash'],
]);

interface TakenWorkflow {
  body: {
    name: string;
    nodes: ExportedWorkflow['nodes'];
    connections: ExportedWorkflow['connections'];
    settings: Record<string, unknown>;
  };
  /** By name, what of the file is not in it. */
  leftOut: string[];
}

/** An error workflow is one that comes along. `first`: for an n8n that has refused what later ones take. */
function takenOf(
  workflow: ExportedWorkflow,
  ids: ReadonlySet<string>,
  which: 'all' | 'first' = 'all',
): TakenWorkflow {
  const { name = 'Load test', nodes, connections } = workflow;
  const given = Object.entries((workflow['settings'] ?? {}) as Record<string, unknown>).filter(
    // So the editor writes what is as n8n has it anyway.
    ([, value]) => value !== 'DEFAULT' && value !== null,
  );
  const known = which === 'all' ? [...FIRST_SETTINGS, ...LATER_SETTINGS] : FIRST_SETTINGS;
  const isTaken = ([setting, value]: [string, unknown]): boolean =>
    setting === 'errorWorkflow' ? ids.has(String(value)) : known.includes(setting);
  return {
    body: { name, nodes, connections, settings: Object.fromEntries(given.filter(isTaken)) },
    leftOut: [
      ...given.filter((each) => !isTaken(each)).map(([setting]) => `settings.${setting}`),
      ...Object.entries(workflow)
        .filter(([key, value]) => !BOOKKEEPING.has(key) && !isEmpty(value))
        .map(([key]) => key),
    ],
  };
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);
