import { setTimeout as sleep } from 'node:timers/promises';
import {
  placed,
  upstreamCredential,
  type Credential,
  type SeedingPlace,
  type SeedWorkflow,
} from '../../catalogue/seeding';
import type { ExportedWorkflow } from '../../catalogue/exported-workflow';
import { demandingKey, keyCredential } from '../../catalogue/webhook-key';
import { exportedIn } from '../process/import';
import { Mistake } from '../../ui/errors';
import type { Progress } from '../../ui/progress';
import type { N8nRequests } from './api';
import { calledFirst, renamed } from './references';

const DELETE_WITHIN_MS = 30_000;

/** What the public API takes of an exported workflow; it refuses everything else. */
const SETTINGS_TAKEN = [
  'executionOrder',
  'saveDataSuccessExecution',
  'saveDataErrorExecution',
  'timezone',
];

/** Puts workflows into an n8n through its public API, and takes out again what it has put in. */
export class ApiSeeds {
  private readonly workflowIds: string[] = [];
  private readonly credentialIds: string[] = [];

  constructor(private readonly api: N8nRequests) {}

  /** Those that are there under their name and active stay as they are. */
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
      ids.set(bundledId, await this.seedCredential(credential));
    }
    const key = workflows.find((workflow) => workflow.key !== undefined)?.key;
    let demanded: { id: string; name: string } | null = null;
    if (key !== undefined) {
      tell('creating the key in n8n that its webhooks require');
      const credential = keyCredential(key);
      demanded = { id: await this.seedCredential(credential), name: credential.name };
    }
    for (const workflow of calledFirst(workflows.flatMap(exportedIn))) {
      tell(`importing the workflow ${workflow.name ?? ''} into n8n`);
      const here = renamed(placed(workflow, place), ids);
      const id = await (demanded === null
        ? this.seedWorkflow(here)
        : this.seedWorkflow(demandingKey(here, demanded), 'with its key'));
      if (workflow.id !== undefined) ids.set(String(workflow.id), id);
    }
  }

  /** Only what seed() has made. */
  async takeOut(): Promise<void> {
    for (let id = this.workflowIds.pop(); id !== undefined; id = this.workflowIds.pop()) {
      // n8n 2 refuses to delete one that is active.
      await this.api.ask('POST', `/workflows/${id}/deactivate`);
      await this.delete(`/workflows/${id}`);
    }
    for (let id = this.credentialIds.pop(); id !== undefined; id = this.credentialIds.pop()) {
      await this.delete(`/credentials/${id}`);
    }
  }

  private async seedCredential(credential: Omit<Credential, 'id'>): Promise<string> {
    const { id } = await this.api.ask<{ id: string }>('POST', '/credentials', {
      body: credential,
    });
    this.credentialIds.push(id);
    return id;
  }

  private async seedWorkflow(
    workflow: ExportedWorkflow,
    how: 'as it is' | 'with its key' = 'as it is',
  ): Promise<string> {
    const { name = 'Load test', nodes, connections } = workflow;
    const settings = (workflow['settings'] ?? {}) as Record<string, unknown>;
    const query = `?name=${encodeURIComponent(name)}&active=true`;
    const { data } = await this.api.ask<{ data: { id: string; name: string }[] }>(
      'GET',
      `/workflows${query}`,
    );
    // n8n shows those as well whose name only contains it.
    const there = data.find((workflow) => workflow.name === name);
    if (there !== undefined && how === 'with its key') {
      throw new Mistake(
        `the workflow ${name} is active in this n8n already, with or without a key of its own: deactivate it there, or leave --webhook-key out.`,
      );
    }
    if (there !== undefined) return there.id;
    const { id } = await this.api.ask<{ id: string }>('POST', '/workflows', {
      body: {
        name,
        nodes,
        connections,
        settings: Object.fromEntries(
          Object.entries(settings).filter(([setting]) => SETTINGS_TAKEN.includes(setting)),
        ),
      },
    });
    this.workflowIds.push(id);
    await this.api.ask('POST', `/workflows/${id}/activate`);
    return id;
  }

  /** It is a moment until one that was active may be deleted. */
  private async delete(path: string): Promise<void> {
    const giveUpMs = Date.now() + DELETE_WITHIN_MS;
    for (;;) {
      try {
        await this.api.ask('DELETE', path);
        return;
      } catch (error) {
        if (Date.now() > giveUpMs) throw error;
        await sleep(500);
      }
    }
  }
}
