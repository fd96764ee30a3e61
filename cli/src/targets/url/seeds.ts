import { randomUUID } from 'node:crypto';
import type { LoadRequest } from '../../../../loadtests/lib/workload';
import type { ExportedWorkflow } from '../../catalogue/exported-workflow';
import { copyOfCall, nameOfCall, type MovedWebhook } from '../../catalogue/own-copy';
import { exportedIn } from '../../catalogue/read';
import {
  placed,
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
import { calledFirst, renamed } from './references';
import { leftText, removeMade } from './removal';
import { takenOf, type TakenWorkflow } from './taken';

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
      tell('creating the credential in n8n that a workflow needs');
      const { id: bundledId, ...credential } = upstreamCredential();
      ids.set(bundledId, (await this.seedCredential(credential)).id);
    }
    const key = this.ofCall?.key;
    const demanded =
      key === undefined || workflows.length === 0
        ? null
        : await this.seedCredential(keyCredential(key));
    for (const workflow of calledFirst(workflows.flatMap(exportedIn))) {
      tell(`importing the workflow ${workflow.name ?? ''} into n8n`);
      const here = this.copied(renamed(placed(workflow, place), ids));
      const id = await this.seedWorkflow(demanded === null ? here : demandingKey(here, demanded));
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
    const { journal } = this.ofCall;
    const left = await removeMade(this.api, journal.made, (made) => {
      journal.gone(made);
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

  private async seedWorkflow(workflow: ExportedWorkflow): Promise<string> {
    const post = (taken: TakenWorkflow): Promise<{ id: string; taken: TakenWorkflow }> =>
      this.made('workflow', taken.body.name, async () => {
        const { id } = await this.api.ask<{ id: string }>('POST', '/workflows', {
          body: taken.body,
        });
        return { id, taken };
      });
    const { id, taken } = await post(takenOf(workflow)).catch((error: unknown) => {
      // An older n8n says so of a setting that it does not know.
      const isOfSettings =
        error instanceof ApiRefusal && error.status === 400 && /settings/.test(error.message);
      if (!isOfSettings) throw error;
      return post(takenOf(workflow, 'first'));
    });
    if (taken.leftOut.length > 0) {
      this.ofCall?.warn(
        `n8n's API does not take this of the workflow ${workflow.name ?? ''}, which runs without it: ${taken.leftOut.join(', ')}.`,
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
