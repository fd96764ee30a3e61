import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { activationSql } from '../../../cli/src/catalogue/seeding';
import { freePort } from '../../../cli/src/targets/process/ports';
import { n8nFolder, node18, node24 } from './lab';
import { eventually } from '../../support/wait';

/** Real processes of n8n that share one folder, one database and, in queue mode, one queue. */
export class N8nHome {
  readonly folder = mkdtempSync(join(tmpdir(), 'n8n-home-'));
  private readonly running: ChildProcess[] = [];

  constructor(
    readonly version: string,
    private readonly env: Record<string, string> = {},
  ) {
    mkdirSync(join(this.folder, '.n8n'));
  }

  /** The folder in which n8n of any version keeps the community packages. */
  get packages(): string {
    return join(this.folder, '.n8n/nodes');
  }

  /** From tarballs, as users do where n8n has no network. */
  installTarballs(packages: { tarball: string }[]): void {
    mkdirSync(this.packages, { recursive: true });
    const args = [
      'install',
      '--offline',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--legacy-peer-deps',
    ];
    const tarballs = packages.map(({ tarball }) => tarball);
    execFileSync('npm', [...args, ...tarballs], { cwd: this.packages, stdio: 'ignore' });
  }

  import(kind: 'workflow' | 'credentials', content: object[]): void {
    const file = join(this.folder, `${kind}.json`);
    writeFileSync(file, JSON.stringify(content));
    const [node, program] = this.program();
    execFileSync(node, [program, `import:${kind}`, `--input=${file}`], {
      ...{ env: this.environment(), stdio: 'ignore', timeout: 300_000 },
    });
  }

  activate(ids: string[]): void {
    const database = new DatabaseSync(join(this.folder, '.n8n/database.sqlite'));
    database.exec(activationSql(this.version, ids));
    database.close();
  }

  /** Starts one and waits until it is healthy; gives its address. */
  async start(args: string[] = ['start'], env: Record<string, string> = {}): Promise<string> {
    const port = String(await freePort());
    const broker = String(await freePort());
    const [node, program] = this.program();
    const log = openSync(join(this.folder, `${args[0] ?? ''}.log`), 'a');
    const child = spawn(node, [program, ...args], {
      env: {
        ...this.environment(),
        ...{ N8N_PORT: port, N8N_RUNNERS_BROKER_PORT: broker, QUEUE_HEALTH_CHECK_PORT: port },
        ...env,
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.running.push(child);
    const url = `http://127.0.0.1:${port}`;
    try {
      await eventually(() => {
        if (child.exitCode !== null) throw new Error(`n8n ${args.join(' ')} ended`);
        return fetch(`${url}${this.readiness}`).then(
          ({ ok }) => ok,
          () => false,
        );
      }, 120_000);
    } catch (error) {
      throw new Error(`${String(error)}\n${this.log(args[0] ?? '').slice(-3000)}`);
    }
    return url;
  }

  log(command: string): string {
    return readFileSync(join(this.folder, `${command}.log`), 'utf8');
  }

  /** Ends all of them, or those of one command, as a crash does; they can be started again. */
  async kill(command?: string): Promise<void> {
    const isMeant = ({ spawnargs }: ChildProcess): boolean =>
      command === undefined || spawnargs.includes(command);
    await Promise.all(this.running.filter(isMeant).map(end));
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  /** 2.x answers 200 with "n8n is starting up" to everything, a webhook too, before it is ready. */
  private get readiness(): string {
    return this.version.startsWith('0.') ? '/healthz' : '/healthz/readiness';
  }

  private program(): [node: string, program: string] {
    const node = this.version.startsWith('0.') ? node18() : node24();
    return [node, join(n8nFolder(this.version), 'bin/n8n')];
  }

  private environment(): Record<string, string> {
    return {
      ...{ PATH: process.env['PATH'] ?? '', HOME: this.folder, N8N_USER_FOLDER: this.folder },
      ...{
        N8N_ENCRYPTION_KEY: 'test',
        N8N_LISTEN_ADDRESS: '127.0.0.1',
        N8N_SECURE_COOKIE: 'false',
      },
      ...{ N8N_DIAGNOSTICS_ENABLED: 'false', N8N_VERSION_NOTIFICATIONS_ENABLED: 'false' },
      ...{ N8N_TEMPLATES_ENABLED: 'false', N8N_PERSONALIZATION_ENABLED: 'false' },
      ...{ N8N_LOG_LEVEL: 'info', QUEUE_HEALTH_CHECK_ACTIVE: 'true' },
      ...this.env,
    };
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** Sets up the owner of a fresh n8n of any version, and gives the cookie of their session. */
export async function setUpOwner(
  url: string,
  owner: { email: string; password: string },
): Promise<string> {
  const cookieOf = (response: Response): string =>
    (response.headers.get('set-cookie') ?? '').replace(/;.*/, '');
  let session = '';
  // The REST routes come a little after readiness.
  await eventually(async () => {
    // n8n 0.x gives the first request the session of the future owner.
    const first = cookieOf(await fetch(`${url}/rest/login`));
    const response = await fetch(`${url}/rest/owner/setup`, {
      method: 'POST',
      body: JSON.stringify({ ...owner, firstName: 'Test', lastName: 'Owner' }),
      headers: { 'content-type': 'application/json', cookie: first },
    });
    session = cookieOf(response);
    return response.ok;
  }, 60_000);
  return session;
}

/** A workflow of a webhook and the node under test, which answers with what that node returns. */
export function webhookWorkflow(
  id: string,
  node: {
    type: string;
    parameters: Record<string, unknown>;
    credentials?: object;
    typeVersion?: number;
  },
  responseMode: 'lastNode' | 'onReceived' = 'lastNode',
): object {
  return {
    ...{ id, name: id, active: false, settings: {}, versionId: id, staticData: null },
    nodes: [
      {
        ...{ id: 'webhook', name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 1 },
        ...{ position: [0, 0], webhookId: id, parameters: { path: id, responseMode } },
      },
      { id: 'node', name: 'Node', typeVersion: 1, position: [200, 0], ...node },
    ],
    connections: { Webhook: { main: [[{ node: 'Node', type: 'main', index: 0 }]] } },
  };
}
