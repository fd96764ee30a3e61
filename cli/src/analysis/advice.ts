/** What to change about a resource that was used up, in the words of the command's options and the chart's values. */
const ADVICE: readonly (readonly [
  limit: RegExp,
  advice: (role: string, isQueue: boolean) => string,
])[] = [
  [
    /^main event loop$/,
    (_, isQueue) =>
      isQueue
        ? 'add webhook processors, which take requests from main'
        : 'use queue mode with workers: main runs every execution in one thread',
  ],
  [/^webhook processor event loop$/, () => 'add a webhook processor'],
  [/^worker event loop$/, () => 'add a worker, if the machine has a core for it'],
  [/^runner event loop$/, () => 'add a worker: each brings a task runner of its own'],
  [
    /^server event loop$/,
    () => 'run the server as several processes, or let it compute less per request',
  ],
  [
    /^Redis thread$/,
    () => 'divide the traffic among several releases, each with a Redis of its own',
  ],
  [/^upstream event loop$/, () => 'measure against a faster service: n8n was not the limit'],
  [/^(.*?) ?CPU limit$/, (role) => `raise the CPU limit of ${role === '' ? 'n8n' : role}`],
  [/^host CPU$/, () => 'give the machine more cores, or let nothing else run on it'],
  [/^worker slots$/, () => 'raise the concurrency of the workers, or add a worker'],
  [/^runner slots$/, () => 'raise the concurrency of the task runners, or add a worker'],
  [/^execution slots$/, () => 'raise the limit of executions that run at the same time'],
  [/^(.*) database pool$/, (role) => `give ${role} a larger pool of database connections`],
  [/^PostgreSQL connections$/, () => 'raise max_connections of PostgreSQL, or use smaller pools'],
  [/^PostgreSQL locks$/, () => 'look at what waits for locks in PostgreSQL'],
  [/^load generator$/, () => 'give the load generator more CPU: n8n was not the limit'],
  [/^host memory$/, () => 'give the machine more memory'],
  [/^(.*) memory$/, (role) => `raise the memory limit of ${role}`],
  [/^(.*) heap$/, (role) => `raise the memory limit of ${role}, which its heap follows`],
  [/^Redis maxmemory$/, () => 'raise maxmemory of Redis'],
  [/^host disk$/, () => 'use a faster disk, or write less: do not keep successful executions'],
];

/** Null where the limit is not known, or there is none. */
export function adviceFor(limit: string, mode: 'regular' | 'queue' | null): string | null {
  for (const [pattern, advice] of ADVICE) {
    const [all, role = ''] = pattern.exec(limit) ?? [];
    if (all !== undefined) return advice(role, mode === 'queue');
  }
  return null;
}
