import { thisMachine } from './machine';
import type { Kept, KeptState } from './kept';
import type { Running } from './target';

/** What `up` has left up, to be looked at from another process: it can be sampled, and nothing else. */
export function keptRunning(kept: Kept, state: KeptState): Running {
  const keeper = (): Promise<never> =>
    Promise.reject(new Error('only the process that keeps it up can do that'));
  return {
    kind: 'process',
    baseUrl: state.baseUrl,
    topology: state.topology,
    versions: state.versions,
    machine: thisMachine(),
    // A restart has changed the pids.
    processes: () => kept.read()?.processes ?? [],
    metrics: state.metrics,
    redis: state.redis,
    postgresql: state.postgresql,
    sqlite: state.sqlite ?? null,
    logs: [],
    onEvent: () => () => undefined,
    seed: keeper,
    ready: keeper,
    executions: () => Promise.resolve(null),
    traceExecutions: () => Promise.resolve(null),
    down: keeper,
  };
}
