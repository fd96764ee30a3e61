import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../ui/exit';
import type { SeedWorkflow } from '../target';

const DELETE_WITHIN_MS = 30_000;

/** What the public API takes of an exported workflow; it refuses everything else. */
const SETTINGS_TAKEN = [
  'executionOrder',
  'saveDataSuccessExecution',
  'saveDataErrorExecution',
  'timezone',
];

interface Exported {
  name: string;
  nodes: unknown;
  connections: unknown;
  settings?: Record<string, unknown>;
}

/** Puts workflows into an n8n through its public API, and takes out again what it has put in. */
export class N8nApi {
  private readonly createdIds: string[] = [];

  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
  ) {}

  /** One that is there under this name and active stays as it is. */
  async seed({ file }: SeedWorkflow): Promise<void> {
    const { name, nodes, connections, settings = {} } = readExported(file);
    const query = `?name=${encodeURIComponent(name)}&active=true`;
    const there = await this.ask<{ data: unknown[] }>('GET', `/workflows${query}`);
    if (there.data.length > 0) return;
    const { id } = await this.ask<{ id: string }>('POST', '/workflows', {
      name,
      nodes,
      connections,
      settings: Object.fromEntries(
        Object.entries(settings).filter(([setting]) => SETTINGS_TAKEN.includes(setting)),
      ),
    });
    this.createdIds.push(id);
    await this.ask('POST', `/workflows/${id}/activate`);
  }

  /** Only those that seed() has made. */
  async takeOut(): Promise<void> {
    for (let id = this.createdIds.pop(); id !== undefined; id = this.createdIds.pop()) {
      // n8n 2 refuses to delete one that is active.
      await this.ask('POST', `/workflows/${id}/deactivate`);
      await this.delete(id);
    }
  }

  /** It is a moment until one that was active may be deleted. */
  private async delete(id: string): Promise<void> {
    const giveUpMs = Date.now() + DELETE_WITHIN_MS;
    for (;;) {
      try {
        await this.ask('DELETE', `/workflows/${id}`);
        return;
      } catch (error) {
        if (Date.now() > giveUpMs) throw error;
        await sleep(500);
      }
    }
  }

  private async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: { 'x-n8n-api-key': this.key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await reply.text();
    if (!reply.ok) {
      throw new UserError(
        `the API of n8n at ${this.baseUrl} refused ${method} ${path} with status ${String(reply.status)}: ${text.slice(0, 200)}`,
      );
    }
    return JSON.parse(text) as T;
  }
}

function readExported(file: string): Exported {
  const content = JSON.parse(readFileSync(file, 'utf8')) as Exported | Exported[];
  const workflow = Array.isArray(content) ? content[0] : content;
  if (workflow?.nodes === undefined) {
    throw new UserError(`${file} is no exported workflow: it has no nodes.`);
  }
  return workflow;
}
