/** What each fault does to a target, with a stand-in for it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS, findFault, SOAKED } from '../../../../cli/src/features/drill/faults';
import { soak } from '../../../../cli/src/features/drill/faults/combined';
import { bundledPlace } from '../../../../cli/src/catalogue/seeding';
import { parseExport } from '../../../../cli/src/catalogue/exported-workflow';
import { promisesOf, whyNotThere, type DrillOptions } from '../../../../cli/src/features/drill/one';
import { executionsOn, requestsOn } from '../../../../cli/src/features/drill/make-fault';
import type {
  Fault,
  FaultContext,
  Hit,
  InsideFault,
} from '../../../../cli/src/features/drill/fault';
import { planOfDrill } from '../../../../cli/src/features/drill/plan';
import { TimedFault } from '../../../../cli/src/features/drill/timed-fault';
import { rateAt } from '../../../../loadtests/lib/due';
import { topologySchema } from '../../../../cli/src/plan/topology';
import type { ProcessRoot, Running, StoreLink } from '../../../../cli/src/targets/target';
import { Mistake } from '../../../../cli/src/ui/exit';
import { pause, until } from '../../../support/wait';

const ROOTS = [
  ['main', 'main'],
  ['webhook', 'webhook-1'],
  ['worker', 'worker-1'],
  ['worker', 'worker-2'],
  ['redis', 'redis'],
  ['postgresql', 'postgresql'],
].map(([role, instance]): ProcessRoot => ({
  ...{ role: role as ProcessRoot['role'], instance: instance ?? '', pid: 1 },
}));

const linksTo = (seen: string[], roots: readonly ProcessRoot[]): StoreLink[] =>
  roots
    .filter(({ role }) => role === 'main' || role === 'worker' || role === 'webhook')
    .flatMap(({ instance, role }) => linksOf(seen, instance, role as StoreLink['role']));

const linksOf = (seen: string[], instance: string, role: StoreLink['role']): StoreLink[] =>
  (['redis', 'postgresql'] as const).map((store) => {
    const done = (what: string): Promise<void> => {
      seen.push(`${what} ${instance} to ${store}`);
      return Promise.resolve();
    };
    return {
      ...{ instance, store, role },
      slow: (delayMs) => done(`${String(delayMs)} ms`),
      freeze: () => done('freeze'),
      thaw: () => done('thaw'),
      lose: () => done('lose').then(() => 2),
      counts: () => Promise.resolve({ connections: 3, bytes: 100 * seen.length }),
    };
  });

interface Stage extends FaultContext {
  /** In the order in which it came. */
  seen: string[];
  victims: Hit[];
}

function stage(lastsMs = 20, roots = ROOTS): Stage {
  const seen: string[] = [];
  const victims: Stage['victims'] = [];
  return {
    ...{ seen, victims },
    executionsOn: (instance) => Promise.resolve(instance === 'worker-1' ? 2 : 0),
    requestsOn: (instance) => Promise.resolve(instance === 'webhook-1' ? 40 : 0),
    hit: (victim) => void victims.push(victim),
    access: {
      signal: (instance, signal) => {
        seen.push(`${signal} ${instance}`);
        return Promise.resolve();
      },
      killRunner: (instance) => Promise.resolve(seen.push(`SIGKILL runner of ${instance}`)),
      instances: () => roots,
      rollOut: () => {
        seen.push('rolled out');
        return Promise.resolve();
      },
      drainNode: (instance) => {
        seen.push(`drained below ${instance}`);
        return Promise.resolve({ node: 'node-1', evicted: ['main', 'worker-1'] });
      },
      links: linksTo(seen, roots),
      runOutOfMemory: (instance) => {
        seen.push(`out of memory ${instance}`);
        return Promise.resolve();
      },
      useUpConnections: () => {
        seen.push('down connections');
        const giveBack = (): Promise<void> => {
          seen.push('up connections');
          return Promise.resolve();
        };
        return Promise.resolve({ taken: 97, giveBack });
      },
      endPrimary: (store) => {
        const isRedis = store === 'redis';
        seen.push(`${isRedis ? 'down' : 'SIGKILL'} ${store}`);
        return Promise.resolve({
          ...{ primary: store, ended: 14 },
          promote: () => Promise.resolve(`another ${store} is the primary`),
          ...(isRedis ? { startAgain: () => Promise.resolve(void seen.push(`up ${store}`)) } : {}),
        });
      },
      lockExecutions: () => {
        seen.push('down lock');
        return Promise.resolve({
          look: () => Promise.resolve({ waiting: 6, unready: ['webhook-1', 'main'] }),
          unlock: () => Promise.resolve(void seen.push('up lock')),
        });
      },
      sendLargeRequests: (instance) => {
        seen.push(`large requests to ${instance}`);
        const exhausted = `${instance} ended: its heap was full`;
        return Promise.resolve({ sent: 4, mebibytes: 15.75, exhausted });
      },
      failOver: (store) => {
        seen.push(`down writes of ${store}`);
        const promote = (): Promise<void> => {
          seen.push(`up writes of ${store}`);
          return Promise.resolve();
        };
        return Promise.resolve({ ended: 14, promote });
      },
      fillDisk: () => {
        seen.push('down space');
        const freeUp = (): Promise<void> => {
          seen.push('up space');
          return Promise.resolve();
        };
        return Promise.resolve({ what: 'PostgreSQL', usedMiB: 61.6, freeUp });
      },
      takeCpu: (millicores) => {
        seen.push(`down CPU to ${String(millicores)}`);
        const giveBack = (): void => void seen.push('up CPU');
        return Promise.resolve({ instances: ['main', 'worker-1'], heldMs: () => 4_200, giveBack });
      },
      jumpClock: (instance, byMs) => {
        seen.push(`down clock of ${instance} by ${String(byMs)}`);
        return Promise.resolve(() => {
          seen.push(`up clock of ${instance}`);
          return Promise.resolve(31);
        });
      },
      silenceNames: () => {
        seen.push('down names');
        return () => {
          seen.push('up names');
          return new Map([['upstream.n8n-tuned.test', 7]]);
        };
      },
      rotateSecrets: () => {
        seen.push('new passwords');
        return Promise.resolve(() => Promise.resolve(['worker-1', 'main']));
      },
      backUp: () => Promise.resolve(void seen.push('backed up')),
      restore: () => {
        seen.push('down database');
        return Promise.resolve(() => {
          seen.push('up database');
          return Promise.resolve({ without: 12 });
        });
      },
      loseStore: (instance) => {
        seen.push(`lost ${instance}`);
        return Promise.resolve();
      },
      keepDown: (instance) => {
        seen.push(`down ${instance}`);
        return Promise.resolve(() => {
          seen.push(`up ${instance}`);
          return Promise.resolve();
        });
      },
      effects: () => Promise.resolve(null),
      // One more after each thing that was done.
      calls: () => Promise.resolve(3 * seen.filter((one) => one.startsWith('told every')).length),
      trouble: (trouble) => {
        const isOver = Object.keys(trouble).length === 0;
        seen.push(isOver ? 'up services' : `down services ${JSON.stringify(trouble)}`);
        return Promise.resolve();
      },
    },
    instances: () => roots,
    ...{ lastsMs, turn: 0 },
    tell: (text) => void seen.push(`told ${text}`),
    signal: new AbortController().signal,
  };
}

test.each([
  ['kill-worker', ['SIGKILL worker-1', 'told SIGKILL of worker-1']],
  ['kill-main', ['SIGKILL main', 'told SIGKILL of main']],
  ['kill-webhook', ['SIGKILL webhook-1', 'told SIGKILL of webhook-1']],
  ['kill-runner', ['SIGKILL runner of worker-1', 'told SIGKILL of the task runner of worker-1']],
  ['scale-in', ['told SIGTERM of worker-1', 'down worker-1', 'told worker-1 has ended']],
  ['redis-loses-data', ['lost redis', 'told redis was killed, and its data is lost']],
  [
    'stall-worker',
    [
      ...['SIGSTOP worker-1', 'told SIGSTOP of worker-1 for 0.02 s'],
      ...['SIGCONT worker-1', 'told SIGCONT of worker-1'],
    ],
  ],
  [
    'stall-main',
    [
      ...['SIGSTOP main', 'told SIGSTOP of main for 0.02 s'],
      ...['SIGCONT main', 'told SIGCONT of main'],
    ],
  ],
  [
    'stall-webhook',
    [
      ...['SIGSTOP webhook-1', 'told SIGSTOP of webhook-1 for 0.02 s'],
      ...['SIGCONT webhook-1', 'told SIGCONT of webhook-1'],
    ],
  ],
  [
    'stop-redis',
    ['told stop of redis for 0.02 s', 'down redis', 'up redis', 'told redis was started again'],
  ],
  [
    'stop-postgres',
    [
      ...['told stop of postgresql for 0.02 s', 'down postgresql', 'up postgresql'],
      'told postgresql was started again',
    ],
  ],
  [
    'cut-worker',
    [
      ...['freeze worker-1 to redis', 'freeze worker-1 to postgresql'],
      'told worker-1 is cut off from its stores for 0.02 s',
      ...['thaw worker-1 to redis', 'thaw worker-1 to postgresql'],
      'told worker-1 reaches its stores again',
    ],
  ],
  [
    'cut-main',
    [
      ...['freeze main to redis', 'freeze main to postgresql'],
      'told main is cut off from its stores for 0.02 s',
      ...['thaw main to redis', 'thaw main to postgresql'],
      'told main reaches its stores again',
    ],
  ],
  [
    'cut-webhook',
    [
      ...['freeze webhook-1 to redis', 'freeze webhook-1 to postgresql'],
      'told webhook-1 is cut off from its stores for 0.02 s',
      ...['thaw webhook-1 to redis', 'thaw webhook-1 to postgresql'],
      'told webhook-1 reaches its stores again',
    ],
  ],
  [
    'cut-main-redis',
    [
      ...['freeze main to redis', 'told main is cut off from redis for 0.02 s'],
      ...['thaw main to redis', 'told main reaches redis again'],
    ],
  ],
  [
    'cut-webhook-postgres',
    [
      ...['freeze webhook-1 to postgresql', 'told webhook-1 is cut off from postgresql for 0.02 s'],
      ...['thaw webhook-1 to postgresql', 'told webhook-1 reaches postgresql again'],
    ],
  ],
  [
    'redis-failover',
    [
      'down writes of redis',
      'told 14 connections to redis ended, and redis refuses writes for 0.02 s',
      ...['up writes of redis', 'told redis was promoted, and accepts writes again'],
    ],
  ],
  [
    'postgres-failover',
    [
      'down writes of postgresql',
      'told 14 connections to postgresql ended, and postgresql refuses writes for 0.02 s',
      ...['up writes of postgresql', 'told postgresql was promoted, and accepts writes again'],
    ],
  ],
  [
    'redis-sentinel-failover',
    [
      ...['down redis', 'told SIGKILL of redis, which had 14 open connections'],
      ...['told another redis is the primary', 'up redis', 'told redis was started again'],
    ],
  ],
  [
    'postgres-new-primary',
    [
      ...['SIGKILL postgresql', 'told SIGKILL of postgresql, which had 14 open connections'],
      'told another postgresql is the primary',
    ],
  ],
  [
    'pools-used-up',
    [
      ...['down lock', 'told a lock on the executions in PostgreSQL for 0.02 s', 'up lock'],
      'told the executions are unlocked, for which up to 6 connections waited; main, webhook-1 answered 503 at /healthz/readiness',
    ],
  ],
  [
    'oom-main-payload',
    [
      ...['told large requests to main', 'large requests to main'],
      'told main ended: its heap was full, after 4 requests of 15.8 MiB',
    ],
  ],
  [
    'redis-half-open',
    [
      ...['lose worker-1 to redis', 'lose worker-2 to redis'],
      'told 4 connections of workers to Redis no longer carry data',
    ],
  ],
  [
    'slow-redis',
    [
      ...['100 ms main to redis', '100 ms webhook-1 to redis'],
      ...['100 ms worker-1 to redis', '100 ms worker-2 to redis'],
      'told redis responds 200 ms later for 0.02 s',
      ...['0 ms main to redis', '0 ms webhook-1 to redis'],
      ...['0 ms worker-1 to redis', '0 ms worker-2 to redis'],
      'told redis responds as before',
    ],
  ],
  [
    'slow-postgres',
    [
      ...[
        '25 ms main to postgresql',
        '25 ms webhook-1 to postgresql',
        '25 ms worker-1 to postgresql',
        '25 ms worker-2 to postgresql',
      ],
      'told postgresql responds 50 ms later for 0.02 s',
      ...['0 ms main to postgresql', '0 ms webhook-1 to postgresql'],
      ...['0 ms worker-1 to postgresql', '0 ms worker-2 to postgresql'],
      'told postgresql responds as before',
    ],
  ],
  [
    'postgres-connections-used-up',
    [
      ...['down connections', 'told 97 connections to PostgreSQL are taken for 0.02 s'],
      ...['up connections', 'told the connections to PostgreSQL are free again'],
    ],
  ],
  [
    'full-disk',
    [
      ...['down space', 'told the disk of PostgreSQL, with 61.6 MiB on it, is full for 0.02 s'],
      ...['up space', 'told the disk of PostgreSQL has space again'],
    ],
  ],
  [
    'crash-across-a-schedule',
    [
      ...['told SIGKILL of main, down for 0.02 s', 'down main'],
      ...['up main', 'told main started again'],
    ],
  ],
  [
    'oom-worker',
    [
      ...['told worker-1 runs out of memory', 'out of memory worker-1'],
      'told worker-1 was killed by the kernel for lack of memory',
    ],
  ],
  [
    'oom-main',
    [
      ...['told main runs out of memory', 'out of memory main'],
      'told main was killed by the kernel for lack of memory',
    ],
  ],
  [
    'rolling-upgrade',
    [
      ...['told a rollout of main, webhook processors and workers', 'rolled out'],
      'told the rollout has finished, and no old pod is left',
    ],
  ],
  [
    'drain-node',
    [
      ...['told eviction of the n8n pods on the node that runs main', 'drained below main'],
      'told main, worker-1 were evicted from node-1',
    ],
  ],
  [
    'slow-upstream',
    [
      ...['down services {"addedMs":5000}', 'told every service answers 5 s later for 0.02 s'],
      ...['up services', 'told every service responds as before, after 3 calls'],
    ],
  ],
  [
    'failing-upstream',
    [
      ...['down services {"status":503}', 'told every service responds with status 503 for 0.02 s'],
      ...['up services', 'told every service responds as before, after 3 calls'],
    ],
  ],
  [
    'hanging-upstream',
    [
      ...['down services {"hangs":true}', 'told every service does not respond for 0.02 s'],
      ...['up services', 'told every service responds as before, after 3 calls'],
    ],
  ],
  [
    'throttling-upstream',
    [
      ...[
        'down services {"perSecond":1}',
        'told every service allows one call per second for 0.02 s',
      ],
      ...['up services', 'told every service responds as before, after 3 calls'],
    ],
  ],
  [
    'take-cpu',
    [
      ...['down CPU to 100', 'told each of main, worker-1 gets only 0.1 of a core for 0.02 s'],
      ...['up CPU', 'told n8n has its CPU back after 4.2 s of waiting for CPU time'],
    ],
  ],
  [
    'clock-jump',
    [
      'down clock of worker-1 by 3600000',
      'told the clock of worker-1 is 1 hour ahead for 0.02 s',
      'up clock of worker-1',
      'told the clock of worker-1 is correct again, after 31 reads of the wrong time',
    ],
  ],
  [
    'dns-failure',
    [
      ...['down names', 'told no names can be resolved for 0.02 s', 'up names'],
      'told names are resolved again; unanswered lookups: upstream.n8n-tuned.test (7)',
    ],
  ],
  [
    'rotate-secrets',
    [
      'new passwords',
      'told PostgreSQL and Redis have new passwords, and reject the old ones',
      'told worker-1, main were restarted with the new passwords',
    ],
  ],
  [
    'restore-backup',
    [
      ...['down database', 'told PostgreSQL accepts no connections for 0.02 s', 'up database'],
      'told PostgreSQL is in the same state as before the load, without 12 newer executions',
    ],
  ],
  ['burst', ['told 10 times the rate for 0.02 s', 'told the rate is as before']],
])('%s', async (name, expected) => {
  const scene = stage();
  await findFault(name).make(scene);
  expect(scene.seen).toEqual(expected);
});

test.each<[string, Hit[]]>([
  ['kill-worker', [{ name: 'worker-1', executions: 2 }]],
  ['kill-runner', [{ name: 'worker-1', executions: 2 }]],
  ['stall-worker', [{ name: 'worker-1', executions: 2 }]],
  // Both links of the worker; the stage counts 100 bytes for each thing that was done.
  ['cut-worker', [{ name: 'worker-1', executions: 2, connections: 6, bytes: 600 }]],
  ['slow-redis', [{ name: 'redis', connections: 12, bytes: 2_000 }]],
  // Workers execute, and webhook processors take the requests: nothing of the load is at risk on main.
  ['kill-main', [{ name: 'main', requests: 0 }]],
  ['stall-main', [{ name: 'main', requests: 0 }]],
  ['oom-main', [{ name: 'main', requests: 0 }]],
  ['cut-main', [{ name: 'main', requests: 0, connections: 6, bytes: 600 }]],
  ['oom-main-payload', [{ name: 'main', requests: 0 }]],
  ['redis-sentinel-failover', [{ name: 'redis', connections: 14, bytes: 0 }]],
  ['postgres-new-primary', [{ name: 'postgresql', connections: 14, bytes: 0 }]],
  ['pools-used-up', [{ name: 'postgresql', connections: 6, bytes: 0 }]],
  ['oom-worker', [{ name: 'worker-1', executions: 2 }]],
  ['kill-webhook', [{ name: 'webhook-1', requests: 40, takes: 'some' }]],
  ['stall-webhook', [{ name: 'webhook-1', requests: 40, takes: 'some' }]],
  ['cut-webhook', [{ name: 'webhook-1', requests: 40, takes: 'some', connections: 6, bytes: 600 }]],
  ['scale-in', [{ name: 'worker-1', executions: 2 }]],
  ['redis-failover', [{ name: 'redis', connections: 14, bytes: 0 }]],
  ['postgres-failover', [{ name: 'postgresql', connections: 14, bytes: 0 }]],
])('%s tells what was at risk on its victim', async (name, expected) => {
  const scene = stage();
  await findFault(name).make(scene);
  expect(scene.victims).toEqual(expected);
});

test('main is the victim that executes where there are no workers', async () => {
  const regular = ROOTS.filter(({ role }) => role === 'main');
  const scene = stage(0, regular);
  await findFault('kill-main').make(scene);
  expect(scene.victims).toEqual([{ name: 'main', executions: 0 }]);
});

test.each([
  ['redis-failover', 'no connection to redis was open'],
  ['postgres-failover', 'no connection to postgresql was open'],
  ['slow-upstream', 'no workflow called a service during the fault'],
])('%s that hit nothing was not made', async (name, why) => {
  const scene = stage();
  const access = {
    ...scene.access,
    calls: () => Promise.resolve(7),
    failOver: () => Promise.resolve({ ended: 0, promote: () => Promise.resolve() }),
  };
  await expect(findFault(name).make({ ...scene, access })).rejects.toThrow(why);
});

test('main is no idle victim where it takes the requests itself', async () => {
  const scene = stage(
    0,
    ROOTS.filter(({ role }) => role !== 'webhook'),
  );
  await findFault('kill-main').make(scene);
  expect(scene.victims).toEqual([{ name: 'main', takes: 'all' }]);
});

test('how many requests a webhook processor took is what it counts, or what others show that n8n counts', async () => {
  const shown = (instance: string, ...lines: string[]): Running['metrics'][number] => ({
    ...{ role: 'webhook', instance, url: '' },
    read: () => Promise.resolve(['# HELP', ...lines, ''].join('\n')),
  });
  const name = 'n8n_webhook_request_duration_seconds';
  const busy = shown(
    'webhook-1',
    ...[`${name}_bucket{le="+Inf",status_code="200"} 7`, `${name}_sum{status_code="200"} 3`],
    `${name}_count{status_code="200"} 7`,
  );
  const idle = shown('webhook-2', 'n8n_version_info 1');
  const silent = { ...idle, instance: 'webhook-3', read: () => Promise.reject(new Error('away')) };
  const all = { metrics: [busy, idle, silent] };
  expect(await requestsOn(all, 'webhook-1')).toBe(7);
  expect(await requestsOn(all, 'webhook-2')).toBe(0);
  expect(await requestsOn(all, 'webhook-3')).toBeNull();
  expect(await requestsOn({ metrics: [idle] }, 'webhook-2')).toBeNull();
});

test('how many executions an instance runs is what it has begun and not ended', async () => {
  const shown = (instance: string, ...lines: string[]): Running['metrics'][number] => ({
    ...{ role: 'worker', instance, url: '' },
    read: () => Promise.resolve(['# HELP', ...lines, ''].join('\n')),
  });
  const busy = shown(
    'worker-1',
    'n8n_node_started_total{node_type="a"} 9',
    'n8n_node_started_total{node_type="b"} 3',
    ...['n8n_node_finished_total{node_type="a"} 9', 'n8n_workflow_started_total 40'],
  );
  const fresh = shown('worker-2', 'n8n_version_info 1');
  // In queue mode main counts executions that workers run.
  const main = shown('main', 'n8n_workflow_started_total 12');
  const silent = { ...fresh, instance: 'worker-3', read: () => Promise.reject(new Error('away')) };
  const all = { metrics: [busy, fresh, silent] };
  expect(await executionsOn(all, 'worker-1')).toBe(3);
  expect(await executionsOn(all, 'worker-2')).toBe(0);
  expect(await executionsOn(all, 'worker-3')).toBeNull();
  expect(await executionsOn({ metrics: [fresh, main] }, 'worker-2')).toBeNull();
});

test.each(['kill-worker', 'kill-runner', 'oom-worker'])(
  '%s, repeated, takes turns over those that run',
  async (name) => {
    const hit = async (turn: number, roots = ROOTS): Promise<string | undefined> => {
      const scene = { ...stage(0, roots), turn };
      await findFault(name).make(scene);
      return scene.seen.map((line) => /worker-\d/.exec(line)?.[0]).find((one) => one !== undefined);
    };
    expect(await Promise.all([0, 1, 2, 3].map((turn) => hit(turn)))).toEqual([
      ...['worker-1', 'worker-2', 'worker-1', 'worker-2'],
    ]);
    // The first has not come back yet.
    const left = ROOTS.filter(({ instance }) => instance !== 'worker-1');
    expect(await hit(2, left)).toBe('worker-2');
  },
);

test('each acts on instances by their own names, which on kubernetes are those of pods', async () => {
  const pods = ROOTS.map((root) => ({ ...root, instance: `n8n-${root.instance}-x` }));
  const acts =
    /^(?:SIG\w+(?: runner of)?|down|lost|up|drained below|out of memory) (?!connections|space|services|writes|CPU|names|database)(.+)$/;
  const onKubernetes = FAULTS.filter(({ notOn }) => notOn?.kubernetes === undefined);
  for (const fault of onKubernetes) {
    const scene = stage(0, pods);
    await fault.make(scene);
    const touched = scene.seen.flatMap((line) => acts.exec(line)?.[1] ?? []);
    const names = pods.map(({ instance }) => instance);
    expect([fault.name, touched.filter((name) => !names.includes(name))]).toEqual([fault.name, []]);
  }
});

test.each(['restart-redis', 'restart-postgres'])('%s is a moment', async (name) => {
  const scene = stage(0);
  const { defaultSeconds, make } = findFault(name);
  await make(scene);
  expect(defaultSeconds).toBe(0);
  expect(scene.seen[0]).toMatch(/^told restart of/);
});

test('what is broken off leaves nothing frozen, slow or down', async () => {
  for (const fault of FAULTS.filter(({ defaultSeconds }) => defaultSeconds > 0)) {
    const scene = { ...stage(3_600_000), signal: AbortSignal.timeout(5) };
    await fault.make(scene);
    const begun = scene.seen.filter((one) => /^(SIGSTOP|down|freeze|[1-9]\d* ms)/.test(one)).length;
    expect(scene.seen.filter((one) => /^(SIGCONT|up|thaw|0 ms)/.test(one))).toHaveLength(begun);
  }
});

test('one that finds nobody says so', async () => {
  const direct = stage();
  await expect(
    findFault('slow-redis').make({ ...direct, access: { ...direct.access, links: [] } }),
  ).rejects.toThrow('no link leads to the store that the fault affects');
  await expect(findFault('kill-worker').make(stage(0, []))).rejects.toThrow('no worker runs');
});

test.each([
  ['take-cpu', 'no n8n process needed more CPU than the fault left it'],
  ['clock-jump', 'worker-1 never read the time while its clock was wrong'],
  ['dns-failure', 'n8n looked up no names during the fault'],
  ['restore-backup', 'the backup already contained every execution'],
  ['pools-used-up', 'every process of n8n still had a connection for its ping'],
  ['oom-main-payload', 'main did not run out of memory after 9 requests of 15.8 MiB'],
])('%s that hit nothing fails, and leaves nothing behind', async (name, why) => {
  const scene = stage();
  const { takeCpu, ...access } = scene.access;
  await expect(
    findFault(name).make({
      ...scene,
      access: {
        ...access,
        takeCpu: async (millicores) => {
          const taken = await takeCpu?.(millicores);
          if (taken === undefined) throw new Error('the stage has it');
          return { ...taken, heldMs: () => 0 };
        },
        jumpClock: () => Promise.resolve(() => Promise.resolve(0)),
        silenceNames: () => () => new Map(),
        lockExecutions: () =>
          Promise.resolve({
            look: () => Promise.resolve({ waiting: 2, unready: [] }),
            unlock: () => Promise.resolve(void scene.seen.push('up lock')),
          }),
        sendLargeRequests: () => Promise.resolve({ sent: 9, mebibytes: 15.75, exhausted: null }),
        restore: () => Promise.resolve(() => Promise.resolve({ without: 0 })),
      },
    }),
  ).rejects.toThrow(why);
  if (name === 'take-cpu') expect(scene.seen).toContain('up CPU');
  if (name === 'pools-used-up') expect(scene.seen).toContain('up lock');
});

test('main gets large requests only where it takes the requests of the load', () => {
  const withWebhooks = topologySchema.parse({
    ...{ mode: 'queue', workers: { count: 1 }, webhooks: { count: 2 } },
  });
  expect(findFault('oom-main-payload').lacks(withWebhooks)).toBe('--webhooks 0');
});

test('faults at once have a standby of each store that one of them makes the primary', () => {
  const both = findFault('postgres-new-primary+redis-sentinel-failover');
  expect(both.standbys).toEqual(['postgresql', 'redis']);
  expect(findFault('kill-worker+kill-main').standbys).toEqual([]);
});

test('the backup of restore-backup is made before the load, with another fault at once too', async () => {
  const scene = stage();
  const both = findFault('restore-backup+kill-main');
  await both.prepare?.(scene.access);
  expect(scene.seen).toEqual(['backed up']);
});

test('each is named as its file is, and says what a topology lacks for it', () => {
  const regular = topologySchema.parse({});
  const queue = topologySchema.parse({ mode: 'queue', workers: { count: 2 } });
  const lacking = FAULTS.map(({ name, lacks }) => [name, lacks(regular) !== null, lacks(queue)]);
  expect(lacking).toEqual([
    ['kill-worker', true, null],
    ['kill-main', false, null],
    ['kill-webhook', true, '--mode queue --workers 1 --webhooks 2'],
    ['kill-runner', true, null],
    ['stall-worker', true, null],
    ['stall-main', false, null],
    ['stall-webhook', true, '--mode queue --workers 1 --webhooks 2'],
    ['redis-half-open', true, null],
    ['restart-redis', true, null],
    ['stop-redis', true, null],
    ['redis-failover', true, null],
    ['redis-sentinel-failover', true, null],
    ['redis-loses-data', true, null],
    ['slow-redis', true, null],
    ['restart-postgres', true, null],
    ['stop-postgres', true, null],
    ['postgres-failover', true, null],
    ['postgres-new-primary', true, null],
    ['slow-postgres', true, null],
    ['postgres-connections-used-up', true, null],
    ['pools-used-up', true, null],
    ['oom-worker', true, null],
    ['oom-main', false, null],
    ['oom-main-payload', false, null],
    ['cut-worker', true, null],
    ['cut-main', true, null],
    ['cut-webhook', true, '--mode queue --workers 1 --webhooks 2'],
    ['cut-main-redis', true, null],
    ['cut-main-postgres', true, null],
    ['cut-webhook-redis', true, '--mode queue --workers 1 --webhooks 2'],
    ['cut-webhook-postgres', true, '--mode queue --workers 1 --webhooks 2'],
    ['take-cpu', false, null],
    ['rolling-upgrade', false, null],
    ['rotate-secrets', true, null],
    ['scale-in', true, null],
    ['drain-node', false, null],
    ['full-disk', false, null],
    ['restore-backup', true, null],
    ['clock-jump', true, null],
    ['burst', false, null],
    ['dns-failure', false, null],
    ['slow-upstream', false, null],
    ['failing-upstream', false, null],
    ['hanging-upstream', false, null],
    ['throttling-upstream', false, null],
    ['crash-across-a-schedule', false, null],
  ]);
  expect(() => findFault('nothing')).toThrow(Mistake);
});

test('the workflow of a schedule is due as often as its fault says', () => {
  const [fault, ...others] = FAULTS.filter(({ schedule }) => schedule !== undefined);
  expect(others).toEqual([]);
  const file = join(__dirname, '../../../../lab/drill', fault?.schedule?.file ?? '');
  const [workflow] = parseExport(readFileSync(file, 'utf8'), file);
  const parameters = workflow?.nodes.map((node) => node['parameters']);
  expect(parameters).toContainEqual({
    rule: { interval: [{ field: 'seconds', secondsInterval: fault?.schedule?.everySeconds }] },
  });
  expect(JSON.stringify(parameters)).toContain(`${bundledPlace.upstreamUrl}/effects/done`);
});

test('what this machine cannot make is left out or refused on the target process alone', () => {
  const fault = { ...findFault('full-disk'), notHere: () => 'it may not' };
  const on = (target: string): string | null =>
    whyNotThere(fault, { target } as unknown as DrillOptions);
  expect([on('process'), on('kubernetes')]).toEqual(['it may not', null]);
});

test('recovery promises that no work is done twice, and none begun twice where only Redis has lost its jobs', () => {
  const promised = (name: string, recover: boolean): string =>
    promisesOf(findFault(name), { recover })
      .map(({ text }) => text)
      .join();
  for (const { name } of FAULTS) {
    expect(promised(name, true)).toMatch(/^lost=0,.*done-twice=0$/);
    expect([name, promised(name, true).includes(',repeated=0')]).toEqual([
      ...[name, name === 'redis-loses-data'],
    ]);
    expect(promised(name, false)).not.toContain('done-twice');
    expect(promised(name, false)).toContain('repeated=0');
  }
  // A worker that was killed had begun what is run again.
  expect(promised('redis-loses-data+kill-worker', true)).not.toContain('repeated=0');
  const own = promisesOf(findFault('stop-postgres'), { recover: true, promise: ['lost=0'] });
  expect(own.map(({ text }) => text)).toEqual(['lost=0']);
});

describe('faults made at once', () => {
  test('begin together, and those that are moments stay moments', async () => {
    const scene = stage();
    await findFault('restart-redis+slow-postgres').make(scene);
    expect(scene.seen).toContain('told restart of redis');
    expect(scene.seen).toContain('told postgresql responds 50 ms later for 0.02 s');
    expect(scene.seen.filter((one) => one.startsWith('0 ms'))).toHaveLength(4);
  });

  test('promise what each accident among them promises, and last as long as the longest', () => {
    const both = findFault('stall-main+failing-upstream');
    expect([both.kind, both.promise, both.defaultSeconds]).toEqual([
      ...['accident', 'lost=0,repeated=0,running=0,recover<60s', 30],
    ]);
    expect(findFault('restart-redis+kill-worker').promise).toBe(findFault('kill-worker').promise);
    expect(findFault('restart-redis+scale-in').kind).toBe('planned');
  });

  test('need what any of them needs', () => {
    const regular = topologySchema.parse({});
    const both = findFault('kill-main+cut-worker');
    expect([both.isOnLinks, both.lacks(regular)]).toEqual([true, '--mode queue --workers 2']);
    expect(findFault('kill-main+drain-node').notOn).toEqual(findFault('drain-node').notOn);
  });

  test('are ended before the failure of one of them is told', async () => {
    const scene = stage();
    const without = { ...scene.access, killRunner: () => Promise.resolve(0) };
    await expect(
      findFault('kill-runner+cut-worker').make({ ...scene, access: without }),
    ).rejects.toThrow('worker-1 has no task runner');
    expect(scene.seen).toContain('told worker-1 reaches its stores again');
  });

  test('are named once each', () => {
    expect(() => findFault('kill-main+kill-main')).toThrow('contains a fault twice');
    expect(() => findFault('kill-main+kill-mian')).toThrow('kill-main');
  });
});

describe('a soak', () => {
  const moments = SOAKED.filter(({ defaultSeconds }) => defaultSeconds === 0);

  test('makes the same faults in the same order with the same seed', async () => {
    const hit = async (seed: number): Promise<string[]> => {
      const scene = { ...stage(3_600_000), signal: AbortSignal.timeout(20) };
      await soak(SOAKED, seed).make(scene);
      return scene.seen;
    };
    const [one, again, ...others] = await Promise.all([hit(7), hit(7), hit(1), hit(2), hit(3)]);
    expect(one).toEqual(again);
    expect(new Set(others.map((seen) => seen[0])).size).toBeGreaterThan(1);
  });

  test('tells what cannot be made here, and fails where nothing can', async () => {
    const scene = stage(60_000, []);
    await expect(soak(moments, 7).make(scene)).rejects.toThrow(
      'none of the random faults could be injected',
    );
    expect(scene.seen).toContain('told kill-worker was left out: no worker runs');
  });

  test('leaves out what stays, what n8n does not survive, and what changes how it is deployed', () => {
    const left = FAULTS.filter((fault) => !SOAKED.includes(fault)).map(({ name }) => name);
    expect(left).toEqual([
      ...['redis-sentinel-failover', 'redis-loses-data', 'postgres-new-primary'],
      ...['oom-main-payload', 'rotate-secrets', 'scale-in', 'full-disk', 'restore-backup'],
      ...[
        'clock-jump',
        'burst',
        'dns-failure',
        'slow-upstream',
        'failing-upstream',
        'hanging-upstream',
        'throttling-upstream',
        'crash-across-a-schedule',
      ],
    ]);
  });
});

test('the reference has each fault in its table, in this order', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/reference/drill.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name]) => name);
  expect(rows.filter((name) => FAULTS.some((fault) => fault.name === name))).toEqual(
    FAULTS.map(({ name }) => name),
  );
});

describe('a fault at its time', () => {
  const running = (scene: Stage): Running => ({ drillAccess: scene.access }) as unknown as Running;

  test('is made so long after the load began, and told to the run', async () => {
    const scene = stage();
    const timed = new TimedFault(running(scene), findFault('stall-worker'), {
      ...{ atMs: 50, lastsMs: 30 },
    });
    const events: string[] = [];
    timed.begin(Date.now(), ({ kind, text }) => void events.push(`${kind}: ${text}`));
    await until('it is over', () => events.length === 2);
    await timed.end();
    expect(timed.failure).toBeNull();
    expect(timed.done[0]?.tMs).toBeGreaterThanOrEqual(49);
    expect(timed.overMs).toBeGreaterThanOrEqual((timed.done[0]?.tMs ?? 0) + 29);
    expect(events).toEqual([
      'fault: SIGSTOP of worker-1 for 0.03 s',
      'fault goes on: SIGCONT of worker-1',
    ]);
  });

  test('is dated by its begin, not by when it is told: requests may meet it meanwhile', async () => {
    const takesLong: Fault = {
      ...findFault('cut-worker'),
      make: async ({ tell }) => {
        await pause(60, 'the fault takes longer than it was to last');
        tell('it is made');
      },
    };
    const timed = new TimedFault(running(stage()), takesLong, { atMs: 20, lastsMs: 0 });
    timed.begin(Date.now(), () => undefined);
    await until('it is over', () => timed.overMs !== null);
    await timed.end();
    expect(timed.beganMs).toBeGreaterThanOrEqual(19);
    expect(timed.done[0]?.tMs).toBeGreaterThan(timed.beganMs ?? Infinity);
  });

  test('is made again and again where it is to be repeated', async () => {
    const timed = new TimedFault(running(stage()), findFault('kill-worker'), {
      ...{ atMs: 20, lastsMs: 100, everyMs: 40 },
    });
    const events: string[] = [];
    timed.begin(Date.now(), ({ kind, text }) => void events.push(`${kind}: ${text}`));
    await until('it is over', () => timed.overMs !== null);
    await timed.end();
    // They take turns.
    expect(events).toEqual([1, 2, 1].map((n) => `fault: SIGKILL of worker-${String(n)}`));
    timed.done.forEach(({ tMs }, index) => {
      expect(tMs).toBeGreaterThanOrEqual(19 + 40 * index);
    });
    expect(timed.lastMs).toBe(timed.done.at(-1)?.tMs);
  });

  test('that is made of others, as a soak, has a time for each of them that was made', async () => {
    const parts: InsideFault = {
      ...findFault('kill-worker'),
      hasParts: true,
      make: async (scene) => {
        for (const name of ['kill-worker', 'stall-worker', 'left out'] as const) {
          const part = scene.part?.();
          if (name === 'left out') part?.tell('it begins');
          else await findFault(name).make({ ...scene, ...part, lastsMs: 10 });
          part?.over(name !== 'left out');
        }
        scene.tell('one was left out');
      },
    };
    const timed = new TimedFault(running(stage()), parts, { atMs: 0, lastsMs: 100 }, true);
    const events: string[] = [];
    timed.begin(Date.now(), ({ kind, text }) => void events.push(`${kind}: ${text}`));
    await until('it is over', () => timed.overMs !== null);
    await timed.end();
    expect([timed.turns.length, timed.turns.every(({ toMs }) => toMs !== null)]).toEqual([2, true]);
    expect(timed.turns.every(({ begunMs = Infinity, fromMs }) => begunMs <= fromMs)).toBe(true);
    expect(timed.victims.map(({ turn }) => turn)).toEqual([0, 1]);
    expect(events.map((one) => one.replace(/: .*/, ''))).toEqual([
      ...['fault', 'fault', 'fault goes on', 'fault', 'fault goes on'],
    ]);
  });

  test('that lasts is made again and again too, each turn for as long as it lasts, and each is recorded', async () => {
    const timed = new TimedFault(running(stage()), findFault('stall-worker'), {
      ...{ atMs: 20, lastsMs: 100, everyMs: 40, turnMs: 20 },
    });
    const events: string[] = [];
    timed.begin(Date.now(), ({ kind, text }) => void events.push(`${kind}: ${text}`));
    await until('it is over', () => timed.overMs !== null);
    await timed.end();
    expect(events).toEqual(
      [1, 2, 1].flatMap((n) => [
        `fault: SIGSTOP of worker-${String(n)} for 0.02 s`,
        `fault goes on: SIGCONT of worker-${String(n)}`,
      ]),
    );
    expect(timed.turns).toHaveLength(3);
    timed.turns.forEach(({ fromMs, toMs }, index) => {
      expect(fromMs).toBe(timed.done[2 * index]?.tMs);
      expect(toMs).toBeGreaterThanOrEqual(fromMs + 19);
    });
    expect(timed.lastMs).toBe(timed.turns.at(-1)?.fromMs);
  });

  test('that is broken off in one of its turns has no end of that turn', async () => {
    const timed = new TimedFault(running(stage()), findFault('stall-worker'), {
      ...{ atMs: 0, lastsMs: 7_200_000, everyMs: 3_600_000, turnMs: 3_000_000 },
    });
    timed.begin(Date.now(), () => undefined);
    await until('it is made', () => timed.done.length > 0);
    await timed.end();
    expect(timed.turns).toEqual([{ fromMs: timed.done[0]?.tMs, toMs: null }]);
    expect(timed.overMs).toBeNull();
  });

  test('that is broken off with the load is not over', async () => {
    const timed = new TimedFault(running(stage()), findFault('stall-worker'), {
      ...{ atMs: 0, lastsMs: 3_600_000 },
    });
    const events: string[] = [];
    timed.begin(Date.now(), ({ text }) => void events.push(text));
    await until('it is made', () => events.length > 0);
    await timed.end();
    expect([timed.failure, timed.overMs]).toEqual([null, null]);
  });

  test('that never came, or failed, says why', async () => {
    const late = new TimedFault(running(stage()), findFault('kill-main'), {
      ...{ atMs: 3_600_000, lastsMs: 0 },
    });
    late.begin(Date.now(), () => undefined);
    await late.end();
    expect(late.failure).toBe('the load ended before the fault was due');
    const nobody = new TimedFault(running(stage(0, [])), findFault('kill-main'), {
      ...{ atMs: 0, lastsMs: 0 },
    });
    nobody.begin(Date.now(), () => undefined);
    await until('it failed', () => nobody.failure === 'no main runs');
    await nobody.end();
    expect([nobody.failure, nobody.done]).toEqual(['no main runs', []]);
  });
});

test('the load goes on through the fault, and only a burst changes its rate', () => {
  const load = {
    ...{ ratePerSecond: 4, warmupSeconds: 5, steadySeconds: 20, faultSeconds: 10 },
    ...{ returnSeconds: 30, rateFactor: 1 },
  };
  const rates = (rateFactor: number): number[] =>
    [2, 24.9, 25.1, 34.9, 35.1, 64].map((second) =>
      rateAt(planOfDrill({ ...load, rateFactor }), second),
    );
  expect(rates(1)).toEqual([4, 4, 4, 4, 4, 4]);
  const repeated = planOfDrill({
    ...{ ...load, faultSeconds: 60, everySeconds: 30, turnSeconds: 10, rateFactor: 3 },
  });
  expect(
    [24.9, 25.1, 34.9, 35.1, 54.9, 55.1, 64.9, 65.1, 110].map((second) => rateAt(repeated, second)),
  ).toEqual([4, 12, 12, 4, 4, 12, 12, 4, 4]);
  expect(rates(10)).toEqual([4, 4, 40, 40, 4, 4]);
  expect(planOfDrill(load).durationSeconds).toBe(60);
});
