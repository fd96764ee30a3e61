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
      summary: 'No main of n8n answers: the editor, the schedules and the API are away.',
      meaning:
        'Prometheus reached no main process for two minutes. In regular mode nothing runs. In queue mode webhooks still respond and workers still run jobs, but schedules, polling triggers, the editor, the API and the pruning of executions stand still.',
      tellWhy: [
        '`kubectl get pods -l app.kubernetes.io/component=main` shows whether the pod is missing, pending, crashing, or running and not ready.',
        'If the pod is pending, `kubectl describe pod` names what is missing (CPU, memory, a volume on another node).',
        'If it crashes, read `kubectl logs --previous`, then [N8nOutOfMemoryKill](N8nOutOfMemoryKill.md) and [N8nHeapNearLimit](N8nHeapNearLimit.md).',
        'If it is ready, Prometheus does not reach it. Look at its targets page, and at `networkPolicy.metricsFrom`.',
      ],
      whatToDo: [
        'Main cannot start without its database, so bring that back first.',
        'After a bad upgrade, run `helm rollback`.',
        'If the volume is still attached to a lost node, delete the pod once the node is gone for good.',
      ],
      drill:
        '`kubectl scale deployment/FULLNAME-main --replicas=0`; scale it back to end the drill.',
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
        'A process that should be there does not respond at `/metrics`. It has stopped, or its event loop is too busy to respond within the scrape timeout.',
      tellWhy: [
        'Is the pod ready? Then it is too busy or cut off: see [N8nEventLoopLag](N8nEventLoopLag.md).',
        'If it is not ready, read `kubectl describe pod` and `kubectl logs --previous`.',
      ],
      whatToDo: [
        'If a process hangs, delete its pod. A worker first finishes its executions, within `shutdown.timeoutSeconds`.',
        'If scrapes time out under load, raise `monitoring.podMonitor.scrapeTimeout`, and give the process more CPU.',
      ],
      drill:
        'Stop a process without ending it: `kill -STOP` on the node of an n8n process of a worker; `kill -CONT` ends the drill.',
    },
    {
      name: 'N8nNoWorkerUp',
      severity: 'critical',
      forMinutes: 3,
      needs: ['queue', 'workersAlways', 'workersScraped'],
      expr: `absent(${n8n('up', 'role="worker"')} == 1)`,
      summary: 'No worker of n8n answers: executions wait in the queue and none runs.',
      meaning:
        'In queue mode only workers run production executions. Webhooks that respond at once still do so; all others wait until their caller gives up.',
      tellWhy: [
        '`kubectl get pods -l app.kubernetes.io/component=worker` shows whether workers are missing, pending or crashing.',
        'If all crash at the same time, Redis or the database is away, or one workflow kills each worker that takes it ([N8nOutOfMemoryKill](N8nOutOfMemoryKill.md)).',
        'Perhaps none is wanted: an autoscaler scaled to zero, or `worker.replicas` is 0.',
      ],
      whatToDo: [
        'Bring Redis and the database back: workers start again by themselves.',
        'If a workflow kills its worker, deactivate it, then let the others drain.',
        'Jobs that ran when their worker died are not run again: see [N8nJobsStalled](N8nJobsStalled.md).',
      ],
      drill: '`kubectl scale deployment/FULLNAME-worker --replicas=0`.',
    },
    {
      name: 'N8nNoLeader',
      severity: 'critical',
      forMinutes: 3,
      needs: ['queue', 'severalMains'],
      expr: `${perRelease('sum', n8n('n8n_instance_role_leader'))} != 1`,
      summary:
        '{{ $value }} mains of n8n say that they lead, and it must be one: schedules run not at all, or twice.',
      meaning:
        'One of several mains is the leader: it alone runs schedules and polling triggers and prunes executions. With none, these stand still; with two, they run twice. A single main always leads, and two may overlap in a rollout, so the alert applies to several mains only.',
      tellWhy: [
        'The query `n8n_instance_role_leader` shows which main is the leader.',
        'Leadership is a key in Redis with a time to live (`N8N_MULTI_MAIN_SETUP_KEY_TTL`). Check that every main reaches Redis.',
        'Search the logs of the mains for `Leader is now` and `lost leadership`.',
      ],
      whatToDo: [
        'Bring Redis back; the next check elects a leader.',
        'If there are two leaders, restart the one that Redis does not name.',
        'Without a licence for several mains, none becomes the leader. Renew it, or set `multiMain.enabled: false`.',
      ],
      drill: 'With two mains: `kubectl exec` into Redis and `CLIENT PAUSE 300000 ALL`.',
    },
    {
      name: 'N8nRestarting',
      severity: 'warning',
      forMinutes: 0,
      needs: ['kubernetes'],
      expr: `increase(${pods('kube_pod_container_status_restarts_total', 'container="n8n"')}[1h]) > ${threshold('restartsPerHour')}`,
      summary: '{{ $labels.pod }} restarted {{ $value | humanize }} times within an hour.',
      meaning:
        'Kubernetes starts the container again and again. Each restart ends what the process ran; executions of a worker that was killed are lost.',
      tellWhy: [
        '`kubectl describe pod` shows the exit code of the last state: 137 is a kill (memory or a liveness probe), 134 means that V8 ran out of heap.',
        '`kubectl logs --previous` ends with the reason.',
        'A liveness probe may fail under load: see [N8nEventLoopLag](N8nEventLoopLag.md).',
      ],
      whatToDo: [
        'For exit codes 134 and 137 see [N8nHeapNearLimit](N8nHeapNearLimit.md), [N8nContainerNearMemoryLimit](N8nContainerNearMemoryLimit.md).',
        'If a probe ended it, give the process more CPU before you give the probe more time.',
      ],
      drill: 'Three times: `kubectl exec POD -c n8n -- kill 1`, each once the pod is ready again.',
    },
  ],
};
