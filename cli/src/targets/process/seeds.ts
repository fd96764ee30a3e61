import type { Effect } from '../../analysis/effects';
import {
  placingSql,
  type SeedWorkflow,
  activationSql,
  standInPlan,
  twinCredentials,
  type Credential,
  upstreamCredential,
} from '../../catalogue/seeding';
import type { HostCount } from '../../stand-in/analysis/counts';
import type { ServiceTrouble } from '../../stand-in/plan';
import { Failure, messageOf } from '../../ui/exit';
import type { Database } from './database';
import { FILES } from './layout';
import { freePort } from './ports';
import { awaitPort } from './redis';
import type { ProcessSpec, Supervisor } from './supervisor';
import { workflowDigest } from './template';
import type { Tools } from './tools';
import { effectsAt, makeTrouble, NO_SERVICE, servicesAt, upstream, upstreamUrl } from './upstream';
import type { Workspace } from './workspace';
import { createHash } from 'node:crypto';
import type { ExportedWorkflow } from '../../catalogue/exported-workflow';
import { exportedIn } from '../../catalogue/read';

export interface SeedsOptions {
  version: string;
  /** Whose settings the import has. */
  main: () => ProcessSpec;
  tools: Tools;
  database: Database;
  workspace: Workspace;
  supervisor: Supervisor;
  /** How workflows reach the stand-in; left out: by address. */
  upstreamHost?: string | undefined;
}

/** The workflows in the database, and what they need beside n8n. Everything here is done while n8n is down. */
export class Seeds {
  private readonly there = new Set<string>();
  /** Whose calls the stand-in answers. */
  private readonly standsFor: SeedWorkflow[] = [];
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
    const { database, workspace, upstreamHost } = this.options;
    const needs = new Set(workflows.flatMap((workflow) => workflow.needs ?? []));
    if (needs.size === 0) return;
    const filesFolder = workspace.make(FILES);
    this.upstreamPort ??= await freePort();
    if (needs.has('upstream')) await this.startUpstream(this.upstreamPort, workflows);
    const place = { upstreamUrl: upstreamUrl(this.upstreamPort, upstreamHost), filesFolder };
    await this.importCredentials(twinCredentials(workflows, place.upstreamUrl));
    for (const sql of placingSql(database.kind, place)) await database.query(sql);
  }

  /** Null where nothing that is there calls the service that counts them. */
  effects(): Promise<Effect[] | null> {
    const url = this.serviceUrl();
    return url === null ? Promise.resolve(null) : effectsAt(url);
  }

  private serviceUrl(): string | null {
    const port = this.upstreamPort;
    return port !== null && this.options.supervisor.runs('upstream') ? upstreamUrl(port) : null;
  }

  services(): Promise<HostCount[] | null> {
    const url = this.serviceUrl();
    return url === null ? Promise.resolve(null) : servicesAt(url);
  }

  async trouble(trouble: ServiceTrouble): Promise<void> {
    const url = this.serviceUrl();
    if (url === null) throw new Failure(NO_SERVICE);
    await makeTrouble(url, trouble);
  }

  private async startUpstream(port: number, workflows: readonly SeedWorkflow[]): Promise<void> {
    const { supervisor, tools, workspace } = this.options;
    this.standsFor.push(...workflows);
    const plan = standInPlan(this.standsFor);
    if (supervisor.runs('upstream')) {
      if (plan === null) return;
      await supervisor.stop(['upstream']);
    }
    const planFile =
      plan === null ? undefined : workspace.writeConfig('stand-in.json', JSON.stringify(plan));
    await supervisor.start(upstream(tools.node, port, workspace.place('upstream'), { planFile }));
    await awaitPort(port, 'the upstream service', () => supervisor.runs('upstream'));
  }

  /** They hold an address that is new each time, so that no template of a database has them. */
  private async importCredentials(credentials: readonly Credential[]): Promise<void> {
    if (credentials.length === 0) return;
    const { main, tools, workspace, supervisor } = this.options;
    const file = workspace.writeConfig('twin-credentials.json', JSON.stringify(credentials));
    const command = ['import:credentials', `--input=${file}`];
    await supervisor.run(importTask(main(), tools, workspace, command));
  }
}

/**
 * n8n's own imports into the database that `main` uses, which they make where it is empty. n8n must not run: it reads
 * what is active at its start.
 */
function importTasks(
  main: ProcessSpec,
  tools: Tools,
  workflows: readonly SeedWorkflow[],
  workspace: Workspace,
): ProcessSpec[] {
  const task = (...command: string[]): ProcessSpec => importTask(main, tools, workspace, command);
  // Any command of it does for that.
  if (workflows.length === 0) return [task('list:workflow')];
  const exported = workspace.writeConfig(
    'workflows.json',
    JSON.stringify(workflows.flatMap(exportedIn).map(withId)),
  );
  const tasks = [task('import:workflow', `--input=${exported}`)];
  if (workflows.some(({ needs }) => needs?.includes('credential') === true)) {
    const text = JSON.stringify([upstreamCredential()]);
    const credentials = workspace.writeConfig('credentials.json', text);
    tasks.push(task('import:credentials', `--input=${credentials}`));
  }
  return tasks;
}

const importTask = (
  main: ProcessSpec,
  tools: Tools,
  workspace: Workspace,
  command: readonly string[],
): ProcessSpec => ({
  ...main,
  instance: 'import',
  command: [...tools.n8nCommand, ...command],
  env: { ...main.env, EXECUTIONS_MODE: 'regular' }, // There is no queue yet, and no need of one.
  limits: {},
  log: workspace.place('import').log,
  kind: 'task',
});

/** A command of n8n's own, as `main` is started with its program. */
export const commandOf = (
  main: ProcessSpec,
  words: readonly string[],
  workspace: Workspace,
): ProcessSpec => ({
  ...main,
  instance: 'command',
  command: [main.command[0], ...main.command.slice(1, -1), ...words],
  limits: {},
  log: workspace.place('command').log,
  kind: 'task',
});

/** The editor leaves it out of what it downloads, and n8n gives none to a workflow that comes with others. */
function withId(workflow: ExportedWorkflow): ExportedWorkflow {
  const id = createHash('sha256').update(JSON.stringify(workflow)).digest('hex').slice(0, 16);
  return { id, ...workflow };
}

async function activateAll(database: Database, version: string): Promise<void> {
  await database.query(activationSql(version));
  if (database.kind === 'sqlite') await database.query('PRAGMA wal_checkpoint(TRUNCATE)');
}
