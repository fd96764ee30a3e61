import type { Effect } from '../../analysis/effects';
import { placingSql, type SeedWorkflow } from '../../catalogue/seeding';
import { Failure, messageOf } from '../../ui/exit';
import type { Database } from './database';
import { activateAll, importTasks } from './import';
import { FILES } from './layout';
import { freePort } from './ports';
import { awaitPort } from './redis';
import type { ProcessSpec, Supervisor } from './supervisor';
import { workflowDigest } from './template';
import type { Tools } from './tools';
import { effectsAt, upstream, upstreamUrl } from './upstream';
import type { Workspace } from './workspace';

export interface SeedsOptions {
  version: string;
  /** Whose settings the import has. */
  main: () => ProcessSpec;
  tools: Tools;
  database: Database;
  workspace: Workspace;
  supervisor: Supervisor;
}

/** The workflows in the database, and what they need beside n8n. Everything here is done while n8n is down. */
export class Seeds {
  private readonly there = new Set<string>();
  private upstreamPort: number | null = null;

  constructor(private readonly options: SeedsOptions) {}

  /** Those that are not in the database. */
  missing(workflows: readonly SeedWorkflow[]): SeedWorkflow[] {
    return workflows.filter((workflow) => !this.there.has(workflowDigest(workflow)));
  }

  remember(workflows: readonly SeedWorkflow[]): void {
    for (const workflow of workflows) this.there.add(workflowDigest(workflow));
  }

  async import(workflows: readonly SeedWorkflow[]): Promise<void> {
    const { main, tools, database, version, workspace, supervisor } = this.options;
    try {
      for (const task of importTasks(main(), tools, workflows, workspace)) {
        await supervisor.run(task);
      }
    } catch (error) {
      throw new Failure(
        `${messageOf(error)}; its log ends with: ${workspace.lastLogLines('import')}`,
      );
    }
    await activateAll(database, version);
    this.remember(workflows);
  }

  /** What workflows need beside n8n, where it is this time. */
  async meetNeeds(workflows: readonly SeedWorkflow[]): Promise<void> {
    const { database, workspace } = this.options;
    const needs = new Set(workflows.flatMap((workflow) => workflow.needs ?? []));
    if (needs.size === 0) return;
    const filesFolder = workspace.make(FILES);
    this.upstreamPort ??= await freePort();
    if (needs.has('upstream')) await this.startUpstream(this.upstreamPort);
    const place = { upstreamUrl: upstreamUrl(this.upstreamPort), filesFolder };
    for (const sql of placingSql(database.kind, place)) await database.query(sql);
  }

  /** Null where nothing that is there calls the service that counts them. */
  effects(): Promise<Effect[] | null> {
    const port = this.upstreamPort;
    const isUp = port !== null && this.options.supervisor.runs('upstream');
    return isUp ? effectsAt(upstreamUrl(port)) : Promise.resolve(null);
  }

  private async startUpstream(port: number): Promise<void> {
    const { supervisor, tools, workspace } = this.options;
    if (supervisor.runs('upstream')) return;
    await supervisor.start(upstream(tools.node, port, workspace.place('upstream')));
    await awaitPort(port, 'the upstream service', () => supervisor.runs('upstream'));
  }
}
