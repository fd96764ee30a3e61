/** A stand-in for n8n that does to each request what it is told, keeps the truth, and plays a target. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Effect } from '../../../../cli/src/analysis/effects';
import type { TracedExecution } from '../../../../cli/src/analysis/traced-execution';
import {
  LEDGER_CLASSES,
  type LedgerClass,
} from '../../../../cli/src/features/drill/analysis/ledger-class';
import { topologySchema } from '../../../../cli/src/plan/topology';
import { thisMachine } from '../../../../cli/src/targets/machine';
import type { Running } from '../../../../cli/src/targets/target';

interface Doing {
  class: LedgerClass;
  /** Status of the response; null: the connection is cut. */
  status: number | null;
  executions: Omit<TracedExecution, 'loadId'>[];
  begun: number;
  done: number;
}

const succeeded = { outcome: 'succeeded' } as const;
const nodeFailed = { outcome: 'failed', hasFailedNode: true } as const;
const crashed = { outcome: 'failed', hasCrashed: true } as const;

const WORKS: Doing = { class: 'once', status: 200, executions: [succeeded], begun: 1, done: 1 };

/** In turns, from the fault on. */
const FAULTY: Doing[] = [
  WORKS,
  { class: 'lost', status: 500, executions: [crashed], begun: 1, done: 0 },
  { class: 'failed', status: 500, executions: [nodeFailed], begun: 1, done: 0 },
  { class: 'repeated', status: 200, executions: [succeeded, succeeded], begun: 2, done: 2 },
  { class: 'not-executed', status: 200, executions: [], begun: 0, done: 0 },
  { class: 'no-response', status: null, executions: [succeeded], begun: 1, done: 1 },
  { class: 'error-but-done', status: 500, executions: [succeeded], begun: 1, done: 1 },
  { class: 'refused', status: 503, executions: [], begun: 0, done: 0 },
  { class: 'refused', status: null, executions: [], begun: 0, done: 0 },
  { class: 'done-marked-crashed', status: 500, executions: [crashed], begun: 1, done: 1 },
];

export interface StandIn {
  running: Running;
  /** What it has done since the fault, and before it. */
  truth: Record<LedgerClass, number>;
  /** Ids that arrived more than once: then k6 itself had sent them again. */
  again: string[];
  end(): Promise<void>;
}

export async function standIn(): Promise<StandIn> {
  const executions: TracedExecution[] = [];
  const effects: Effect[] = [];
  const truth = Object.fromEntries(LEDGER_CLASSES.map((name) => [name, 0])) as Record<
    LedgerClass,
    number
  >;
  const again: string[] = [];
  let isFaulty = false;
  let turn = 0;
  const arrived = new Set<string>();
  const serve = (id: string, response: ServerResponse): void => {
    const doing = isFaulty && id !== 'ready' ? FAULTY[(turn += 1) % FAULTY.length] : WORKS;
    if (doing === undefined) throw new Error('there is always one');
    if (id !== 'ready') {
      if (arrived.has(id)) again.push(id);
      arrived.add(id);
      truth[doing.class] += 1;
      executions.push(...doing.executions.map((one) => ({ ...one, loadId: id })));
      for (let time = 0; time < doing.begun; time += 1) effects.push({ id, step: 'begun' });
      for (let time = 0; time < doing.done; time += 1) effects.push({ id, step: 'done' });
    }
    if (doing.status === null) {
      response.destroy();
      return;
    }
    response.writeHead(doing.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ step: 'done', id }));
  };
  const server = createServer((request, response) => {
    setTimeout(() => {
      serve(String(request.headers['x-load-id']), response);
    }, 20);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const counts = (): { succeeded: number; failed: number } => ({
    succeeded: executions.filter(({ outcome }) => outcome === 'succeeded').length,
    failed: executions.filter(({ outcome }) => outcome === 'failed').length,
  });
  const running: Running = {
    kind: 'process',
    baseUrl: `http://127.0.0.1:${String(port)}`,
    topology: topologySchema.parse({ mode: 'queue', workers: { count: 2 } }),
    versions: {},
    machine: thisMachine(),
    processes: () => [{ role: 'worker', instance: 'worker-1', pid: process.pid }],
    ...{ metrics: [], redis: null, postgresql: null, logs: [] },
    onEvent: () => () => undefined,
    seed: () => Promise.resolve(),
    ready: () => Promise.resolve(),
    executions: () => Promise.resolve({ ...counts(), unfinished: 0, source: 'stand-in' }),
    traceExecutions: () => {
      const before = executions.length;
      return Promise.resolve({
        ...{ source: 'stand-in', affordable: 100_000 },
        read: () => {
          const made = executions.length - before;
          return Promise.resolve({ executions: executions.slice(before), made });
        },
      });
    },
    drillAccess: {
      signal: () => {
        isFaulty = true;
        return Promise.resolve();
      },
      killRunner: () => Promise.resolve(0),
      links: [],
      runOutOfMemory: () => Promise.reject(new Error('not here')),
      useUpConnections: () => Promise.reject(new Error('not here')),
      failOver: () => Promise.reject(new Error('not here')),
      loseStore: () => Promise.reject(new Error('not here')),
      keepDown: () => Promise.reject(new Error('not here')),
      effects: () => Promise.resolve(effects),
      ...{ trouble: () => Promise.reject(new Error('not here')), calls: () => Promise.resolve(0) },
    },
    down: () => Promise.resolve(),
  };
  return {
    running,
    truth,
    again,
    end: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) =>
        server.close(() => {
          resolve();
        }),
      );
    },
  };
}
