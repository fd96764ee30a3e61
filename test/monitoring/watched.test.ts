// What the study of alerts finds to scrape, the faults that it makes, and the page of what was seen.
import { FAULTS } from '../../cli/src/features/drill/faults';
import { alertGroups } from '../../monitoring/alerts';
import { watchedPage, type WatchedRecord } from '../../monitoring/watched';
import { FAULTS as parts } from '../../studies/alerts/faults';
import { targetsOf } from '../../studies/alerts/prometheus';
import { isHealthy } from '../../studies/alerts/quiet';
import type { Pod } from '../../studies/alerts/release';

describe('the faults', () => {
  const known: string[] = alertGroups.flatMap(({ alerts }) => alerts.map(({ name }) => name));

  test('have names of their own, and expect alerts that there are', () => {
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
    expect(parts.flatMap(({ expects }) => expects).filter((one) => !known.includes(one))).toEqual(
      [],
    );
  });

  test('are, where a drill makes them, those that drills make on Kubernetes', () => {
    const there = FAULTS.filter(({ notOn }) => notOn?.kubernetes === undefined);
    const names = there.map(({ name }) => name);
    expect(parts.filter(({ drill }) => drill !== undefined)).not.toEqual([]);
    expect(parts.filter(({ drill }) => drill !== undefined && !names.includes(drill))).toEqual([]);
  });
});

describe('what is scraped', () => {
  const monitor = {
    metadata: { name: 'n8n', namespace: 'here' },
    spec: {
      selector: {
        matchLabels: { release: 'n8n' },
        matchExpressions: [{ key: 'role', operator: 'In', values: ['main', 'worker'] }],
      },
      podMetricsEndpoints: [{ port: 'http' }],
    },
  };
  const pod = (role: string, more: Partial<Pod['status']> = {}): Pod => ({
    metadata: { name: `n8n-${role}`, labels: { release: 'n8n', role } },
    spec: {
      containers: [
        { name: 'n8n', ports: [{ name: 'http', containerPort: 5678 }] },
        { name: 'sidecar' },
      ],
    },
    status: { phase: 'Running', podIP: '10.0.0.1', ...more },
  });

  test('is each port of the name, of pods that are chosen, have an address and have not ended', () => {
    const pods = [
      pod('main'),
      pod('redis'),
      pod('worker', { phase: 'Failed' }),
      pod('worker', { podIP: undefined }),
    ];
    const targets = targetsOf(monitor, pods);
    expect(targets).toEqual([
      {
        targets: ['10.0.0.1:5678'],
        labels: {
          ...{ namespace: 'here', pod: 'n8n-main', container: 'n8n' },
          __meta_kubernetes_pod_label_release: 'n8n',
          __meta_kubernetes_pod_label_role: 'main',
        },
      },
    ]);
  });
});

describe('a healthy release', () => {
  const healthy = { p95Ms: 200, wrong: 0, unanswered: 0, requests: 1000 };
  test.each([
    [healthy, true],
    [{ ...healthy, p95Ms: 1000 }, false],
    [{ ...healthy, p95Ms: null }, false],
    [{ ...healthy, wrong: 5, unanswered: 5 }, false],
    [{ ...healthy, wrong: 9 }, true],
  ])('%j: %s', (figures, is) => {
    expect(isHealthy(figures)).toBe(is);
  });
});

describe('the page', () => {
  const silent = { pending: null, firing: null, missing: [] };
  const stretch = { afterSeconds: 95, seconds: 30 };
  const watched = {
    startedAt: '2026-01-02T00:00:00.000Z',
    watchedSeconds: 1800,
    versions: { n8n: '2.41.1', prometheus: '2.42.0' },
    machine: { cpu: 'a CPU', cores: 2 },
    load: {
      ...{ workload: 'last-node', plannedPerSecond: 4, requests: 7200, p95Ms: 30.4 },
      ...{ wrong: 0, unanswered: 0 },
    },
  };
  const record: WatchedRecord = {
    quiet: {
      ...watched,
      healthy: true,
      loadAverage: { median: 1.234, max: 5 },
      idle: { alerts: [{ alert: 'N8nMainDown', ...silent }] },
      loaded: {
        alerts: [
          { alert: 'N8nMainDown', ...silent },
          {
            ...{ alert: 'N8nEventLoopLag', ...silent, pending: stretch, highest: 0.6789 },
          },
        ],
      },
    },
    faults: {
      'kill-worker': {
        ...watched,
        ...{ title: 'SIGKILL of one worker', loadAverageAtStart: 0.5, before: [] },
        loadAverage: { median: 4.321, max: 12.3 },
        expects: ['N8nJobsStalled', 'N8nStoreDown', 'N8nMainDown'],
        alerts: [
          { alert: 'N8nJobsStalled', ...silent, firing: stretch },
          {
            ...{ alert: 'N8nStoreDown', ...silent },
            missing: ['kube_statefulset_status_replicas_ready', 'n8n_made_at_its_first_event'],
          },
          { alert: 'N8nMainDown', ...silent },
          { alert: 'N8nProcessDown', ...silent, pending: stretch },
        ],
      },
    },
  };
  const page = watchedPage(record);

  test('says what was pending on a healthy n8n, and how far', () => {
    expect(page).toContain('| idle | 1 | 0 | none |');
    expect(page).toContain(
      '| loaded | 2 | 0 | [EventLoopLag](../../docs/runbooks/memory-and-cpu.md#n8neventlooplag): pending for 30 s, at most 0.679 |',
    );
  });

  test('names every machine, and the alerts that could not fire on a healthy n8n', () => {
    const { quiet, faults } = record;
    if (quiet === undefined) throw new Error('no part quiet');
    const blind = {
      ...{ alert: 'N8nStoreDown', ...silent },
      missing: ['kube_statefulset_status_replicas_ready'],
    };
    const machine = { cpu: 'another CPU', cores: 4 };
    const other = watchedPage({
      faults,
      quiet: { ...quiet, machine, idle: { alerts: [blind] } },
    });
    expect(other).toContain('(another CPU, 4 cores; for other parts a CPU, 2 cores)');
    expect(other).toContain(
      'did not exist during this half hour: [StoreDown](../../docs/runbooks/stores.md#n8nstoredown).',
    );
    expect(page).not.toContain('during this half hour');
  });

  test('says when the loaded release was not healthy', () => {
    const { quiet } = record;
    if (quiet === undefined) throw new Error('no part quiet');
    expect(page).not.toContain('not healthy');
    const slow = watchedPage({ faults: {}, quiet: { ...quiet, healthy: false } });
    expect(slow).toContain('**The loaded release was not healthy**');
  });

  test('has each fault with each alert: fired, pending, silent, unseen', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `kill-worker` |'));
    expect(rows.at(-1)).toBe('| `kill-worker` | **95 s** | **silent** | pending | unseen |');
    expect(rows[0]).toContain(
      '[StoreDown](../../docs/runbooks/stores.md#n8nstoredown), [MainDown](../../docs/runbooks/availability.md#n8nmaindown) |',
    );
  });

  test('says since when an alert was pending that should have fired', () => {
    const { faults } = record;
    const killed = faults['kill-worker'];
    if (killed === undefined) throw new Error('no fault');
    const expected = watchedPage({
      faults: { 'kill-worker': { ...killed, expects: ['N8nProcessDown'] } },
    });
    expect(expected).toContain(
      '| [ProcessDown](../../docs/runbooks/availability.md#n8nprocessdown), pending from 95 s on |',
    );
  });

  test('has the load average at the start, and its median and most where they were kept', () => {
    expect(page).toContain('| 0.5 (4.32, 12.3) |');
  });

  test('says during which faults other work used the machine', () => {
    const { faults } = record;
    const killed = faults['kill-worker'];
    if (killed === undefined) throw new Error('no fault');
    expect(page).not.toContain('Other work');
    const other = watchedPage({ faults: { 'kill-worker': { ...killed, otherWork: true } } });
    expect(other).toContain('Other work used the machine during `kill-worker`:');
  });

  test('says in which parts alerts on containers could not see any', () => {
    const { quiet, faults } = record;
    const killed = faults['kill-worker'];
    if (quiet === undefined || killed === undefined) throw new Error('no part');
    expect(page).toMatch(/\[CpuThrottled\]\S+ means nothing: the healthy n8n, `kill-worker`\./);
    const named = { namesContainers: true };
    const seen = {
      quiet: { ...quiet, ...named },
      faults: { 'kill-worker': { ...killed, ...named } },
    };
    expect(watchedPage(seen)).not.toContain('means nothing');
  });

  test('names the alerts that no fault made fire', () => {
    expect(page).toContain(
      'by promtool: [MainDown](../../docs/runbooks/availability.md#n8nmaindown), [ProcessDown]',
    );
    expect(page.split('by promtool:')[1]).not.toContain('JobsStalled');
  });

  test('names the series of others that were not there', () => {
    expect(page).toContain(
      '| [StoreDown](../../docs/runbooks/stores.md#n8nstoredown) | `kube_statefulset_status_replicas_ready` |',
    );
    expect(page).not.toContain('n8n_made_at_its_first_event');
  });

  test('says nothing of a part that has no record', () => {
    expect(watchedPage({ faults: {} })).not.toContain('##');
  });
});
