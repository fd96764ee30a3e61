import type { AlertGroup } from '../alert';
import { n8n, perRelease, pods, threshold } from '../tokens';

export const availability: AlertGroup = {
  name: 'n8n-availability',
  alerts: [
    {
      name: 'N8nMainDown',
      severity: 'critical',
      forMinutes: 2,
      needs: [],
      expr: `absent(${n8n('up', 'role="main"')} == 1)`,
      summary: 'No n8n main responds: the editor, schedules and the API are unavailable.',
      meaning:
        'Prometheus has not been able to reach any main process for two minutes. In regular mode, n8n does not run any executions. In queue mode, webhooks still respond and workers still run jobs. Schedules, polling triggers, the editor, the API and pruning stop.',
      tellWhy: [
        '`kubectl get pods -l app.kubernetes.io/component=main` shows whether the pod is missing, pending, crashing, or running but not ready.',
        'If the pod is pending, `kubectl describe pod` shows the reason (not enough CPU or memory, or a volume on another node).',
        'If the pod crashes, check `kubectl logs --previous`, then see [N8nOutOfMemoryKill](N8nOutOfMemoryKill.md) and [N8nHeapNearLimit](N8nHeapNearLimit.md).',
        'If the pod is ready, the problem is probably between Prometheus and the pod. Check the targets page in Prometheus, and `networkPolicy.metricsFrom`.',
      ],
      whatToDo: [
        'If the database is unavailable, restore it first: main cannot start without it.',
        'After a bad upgrade, run `helm rollback`.',
        'If the volume is still attached to a lost node, make sure that the node will not come back, then delete the pod.',
      ],
      drill:
        'Run `kubectl scale deployment/FULLNAME-main --replicas=0`. To end the test, scale the Deployment up again.',
    },
    {
      name: 'N8nProcessDown',
      severity: 'warning',
      forMinutes: 5,
      needs: [],
      expr: `${n8n('up')} == 0`,
      summary:
        'Prometheus has not reached {{ $labels.role }} {{ with $labels.pod }}{{ . }}{{ else }}{{ $labels.instance }}{{ end }} for 5 minutes.',
      meaning:
        'A process does not respond to requests for `/metrics`. Either the process has stopped, or its event loop is too busy to respond within the scrape timeout.',
      tellWhy: [
        'If the pod is ready, Prometheus cannot reach the process, or the process is too busy: see [N8nEventLoopLag](N8nEventLoopLag.md).',
        'If the pod is not ready, check `kubectl describe pod` and `kubectl logs --previous`.',
      ],
      whatToDo: [
        'If a process hangs, delete its pod. A worker then has `shutdown.timeoutSeconds` to finish its executions.',
        'If scrapes time out under load, raise `monitoring.podMonitor.scrapeTimeout`, and give the process more CPU.',
      ],
      drill:
        "On a worker's node, run `kill -STOP` to suspend the worker's n8n process. To end the test, run `kill -CONT`.",
    },
    {
      name: 'N8nNoWorkerUp',
      severity: 'critical',
      forMinutes: 3,
      needs: ['queue', 'workersAlways', 'workersScraped'],
      expr: `absent(${n8n('up', 'role="worker"')} == 1)`,
      summary: 'No n8n worker responds: executions wait in the queue and do not run.',
      meaning:
        'In queue mode, only workers run production executions. Webhooks that respond immediately still work. For all other webhooks, callers wait until they give up.',
      tellWhy: [
        '`kubectl get pods -l app.kubernetes.io/component=worker` shows whether workers are missing, pending or crashing.',
        'If all workers crash at the same time, check whether Redis or the database is unavailable, or whether a workflow kills every worker that runs it ([N8nOutOfMemoryKill](N8nOutOfMemoryKill.md)).',
        'If the Deployment has no replicas, an autoscaler has scaled the workers to zero, or `worker.replicas` is 0.',
      ],
      whatToDo: [
        'If Redis or the database is unavailable, restore it. The workers then restart.',
        'If a workflow kills its worker, deactivate the workflow, then let the workers empty the queue.',
        'n8n does not rerun jobs that were running when their worker died: see [N8nJobsStalled](N8nJobsStalled.md).',
      ],
      drill: 'Run `kubectl scale deployment/FULLNAME-worker --replicas=0`.',
    },
    {
      name: 'N8nNoLeader',
      severity: 'critical',
      forMinutes: 3,
      needs: ['queue', 'severalMains'],
      expr: `${perRelease('sum', n8n('n8n_instance_role_leader'))} != 1`,
      summary:
        '{{ $value }} n8n mains report that they are the leader instead of exactly one: schedules do not run, or run twice.',
      meaning:
        'If there are several mains, only the leader runs schedules and polling triggers and prunes executions. Without a leader, these tasks stop. If there are two leaders, these tasks run twice. The alert does not apply to a single main, because it is always the leader.',
      tellWhy: [
        'The query `n8n_instance_role_leader` shows which main is the leader.',
        'n8n stores the leader in a Redis key with a time to live (`N8N_MULTI_MAIN_SETUP_KEY_TTL`). Check that every main can reach Redis.',
        'Search the logs of the mains for `Leader is now` and `lost leadership`.',
      ],
      whatToDo: [
        'Restore Redis. The next check then elects a leader.',
        'If there are two leaders, restart the main that the Redis key does not name.',
        'Without a licence for several mains, no main becomes the leader. Renew the licence, or set `multiMain.enabled: false`.',
      ],
      drill:
        'With two mains, run `kubectl exec` to open a shell in the Redis pod, and send `CLIENT PAUSE 300000 ALL` with `redis-cli`.',
    },
    {
      name: 'N8nRestarting',
      severity: 'warning',
      forMinutes: 0,
      needs: ['kubernetes'],
      expr: `increase(${pods('kube_pod_container_status_restarts_total', 'container="n8n"')}[1h]) > ${threshold('restartsPerHour')}`,
      summary: '{{ $labels.pod }} restarted {{ $value | humanize }} times within an hour.',
      meaning:
        'Kubernetes keeps restarting the container. At each restart, the running executions of the process end. If a worker was killed, its executions are lost.',
      tellWhy: [
        '`kubectl describe pod` shows the exit code under `Last State`. Exit code 137 means that the process was killed (because of its memory usage or a liveness probe), and 134 means that V8 ran out of heap.',
        'The last lines of `kubectl logs --previous` show the reason.',
        'A liveness probe can fail under load: see [N8nEventLoopLag](N8nEventLoopLag.md).',
      ],
      whatToDo: [
        'For exit codes 134 and 137, see [N8nHeapNearLimit](N8nHeapNearLimit.md) and [N8nContainerNearMemoryLimit](N8nContainerNearMemoryLimit.md).',
        "If a liveness probe caused the restarts, give the process more CPU before you extend the probe's timeout.",
      ],
      drill:
        'Run `kubectl exec POD -c n8n -- kill 1` three times. After each time, wait until the pod is ready again.',
    },
  ],
};
