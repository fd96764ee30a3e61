import { fork, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { n8nFolder, node24 } from './lab';
import { N8N_VERSION } from '../../support/versions';

/** n8n's own execution engine in a process of its own, with the nodes as they are packed. */
export class Engine {
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private lastId = 0;
  /** What triggers gave the workflow so far. */
  readonly emitted: Record<string, unknown>[] = [];
  /** The data of the workflow that n8n stored with the last of them. */
  staticData: unknown;

  private constructor(private readonly host: ChildProcess) {
    host.on(
      'message',
      (message: Reply | { emitted: Record<string, unknown>; staticData: unknown }) => {
        if ('emitted' in message) {
          this.staticData = message.staticData;
          this.emitted.push(message.emitted);
        } else this.waiting.get(message.id)?.(message);
      },
    );
    host.on('exit', () => {
      for (const settle of this.waiting.values()) {
        settle({ id: 0, ok: false, message: 'the engine ended' });
      }
    });
  }

  static async start(
    execArgv: string[] = [],
    stderr: 'inherit' | 'ignore' = 'inherit',
    env: Record<string, string> = {},
  ): Promise<Engine> {
    const host = fork(join(__dirname, 'engine-host.mjs'), {
      execPath: node24(),
      execArgv,
      // The temporary folder: n8n 2.x allows ~/.n8n-files alone.
      env: {
        ...process.env,
        N8N_INSTALLATION: n8nFolder(N8N_VERSION),
        N8N_RESTRICT_FILE_ACCESS_TO: tmpdir(),
        LOAD_TARGET_DANGEROUS: 'true',
        ...env,
      },
      stdio: ['ignore', 'inherit', stderr, 'ipc'],
      serialization: 'advanced',
    });
    await new Promise<void>((resolve, reject) => {
      host.once('message', () => {
        resolve();
      });
      host.once('exit', (code) => {
        reject(new Error(`The engine ended with ${String(code)} before it was ready`));
      });
    });
    return new Engine(host);
  }

  run(what: RunRequest): Promise<RunResult> {
    return this.ask('run', what) as Promise<RunResult>;
  }

  ask(command: string, what: object = {}): Promise<unknown> {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, (reply) => {
        this.waiting.delete(id);
        if (reply.ok) resolve(reply.value);
        else reject(Object.assign(new Error(reply.message), { reply }));
      });
      this.host.send({ ...what, id, command });
    });
  }

  async stop(): Promise<void> {
    if (this.host.exitCode !== null || this.host.signalCode !== null) return;
    const ended = new Promise((resolve) => this.host.once('exit', resolve));
    this.host.disconnect();
    await ended;
  }
}

interface Reply {
  id: number;
  ok: boolean;
  value?: unknown;
  message?: string;
}

export interface RunRequest {
  node: 'loadTarget' | 'queueMonitor' | 'once' | 'httpRequest';
  parameters: Record<string, unknown>;
  /** Fields of the node itself, such as onError. */
  settings?: Record<string, unknown>;
  items?: Item[];
  credential?: Record<string, unknown>;
  cancelAfterMs?: number;
  executionId?: string;
  mode?: string;
  /** The data of an execution that n8n stored, with which a retry begins. */
  stored?: unknown;
}

export interface Item {
  json: Record<string, unknown>;
  binary?: Record<string, { data: string; mimeType: string; fileName?: string; bytes?: number }>;
  pairedItem?: unknown;
}

export interface RunResult {
  status: string;
  durationMs: number;
  items: Item[];
  /** Items of the second output: that for errors, with onError: continueErrorOutput. */
  errorItems: Item[];
  /** Whether what the node threw is of n8n's own classes. */
  known: { operation: boolean; api: boolean; cancelled: boolean };
  error?: {
    name: string;
    message: string;
    description?: string;
    httpCode?: string;
    context?: { itemIndex?: number };
    node?: { name: string };
  };
}

/** The report in an output item of Load Target. */
export interface Report {
  operation: string;
  asked: Record<string, unknown>;
  achieved: Record<string, number>;
  durationMs: number;
  ranBy: Record<string, unknown>;
}

export function reportOf({ items, error }: RunResult, index = 0): Report {
  const json = items[index]?.json;
  if (json === undefined) throw new Error(`no item ${String(index)}: ${error?.message ?? ''}`);
  return json as unknown as Report;
}
