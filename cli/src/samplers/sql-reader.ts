/** Asks n8n's database now and then, for samplers: what is asked for must be cheap to begin. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import pg from 'pg';
import { PLAIN, type Command } from '../linux/own-user';

export type Row = Record<string, unknown>;

export interface SqlReader {
  read(sql: string): Promise<Row[]>;
  close(): void | Promise<void>;
}

const ANSWER_WITHIN_MS = 10_000;

export class PostgresqlReader implements SqlReader {
  private client: pg.Client | null = null;

  constructor(private readonly url: string) {}

  async read(sql: string): Promise<Row[]> {
    this.client ??= await connect(this.url);
    try {
      return (await this.client.query<Row>(sql)).rows;
    } catch (error) {
      this.client = null; // A broken connection does not heal; the next tick makes a new one.
      throw error;
    }
  }

  close(): Promise<void> | undefined {
    return this.client?.end();
  }
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: ANSWER_WITHIN_MS,
    application_name: 'n8n-tuned sampler',
  });
  client.on('error', () => undefined); // The next query tells.
  await client.connect();
  return client;
}

/** One line in, one line out; the file is open only meanwhile, so that its log can be taken back. */
const SCRIPT = `
const { DatabaseSync } = require('node:sqlite');
const [file] = process.argv.slice(1);
const answer = (sql) => {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    try {
      return { rows: database.prepare(sql).all() };
    } finally {
      database.close();
    }
  } catch (error) {
    return { error: error.message };
  }
};
require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', (line) => process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\\n'));
`;

/**
 * By the Node.js that runs n8n, as the command's own may be older than its SQLite. It is started once, and
 * ends with its standard input.
 */
export class SqliteReader implements SqlReader {
  private helper: Helper | null = null;

  constructor(
    private readonly reader: Command,
    private readonly file: string,
  ) {}

  async read(sql: string): Promise<Row[]> {
    this.helper ??= new Helper(this.reader, this.file);
    try {
      const { rows, error } = JSON.parse(await this.helper.ask(JSON.stringify(sql))) as {
        rows?: Row[];
        error?: string;
      };
      if (rows === undefined) throw new Error(`SQLite: ${error ?? 'no answer'}`);
      return rows;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const { helper } = this;
    this.helper = null;
    await helper?.end();
  }
}

class Helper {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly lines: Interface;
  private readonly ended: Promise<void>;

  constructor([program, ...args]: Command, file: string) {
    this.child = spawn(program, [...args, '--no-warnings', '-e', SCRIPT, file], {
      ...PLAIN,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.lines = createInterface({ input: this.child.stdout });
    this.ended = new Promise((resolve) => {
      this.child.once('close', () => {
        resolve();
      });
      this.child.once('error', () => {
        resolve();
      });
    });
    this.child.stdin.on('error', () => undefined); // The answer that does not come tells.
  }

  ask(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`SQLite did not respond within ${String(ANSWER_WITHIN_MS / 1000)} s`));
      }, ANSWER_WITHIN_MS);
      this.lines.once('line', (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      void this.ended.then(() => {
        clearTimeout(timer);
        reject(new Error('the process that reads SQLite has ended'));
      });
      this.child.stdin.write(`${line}\n`);
    });
  }

  async end(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
