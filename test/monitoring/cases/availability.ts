import {
  container,
  main,
  of,
  otherMain,
  otherWorker,
  worker,
  type CasesByAlert,
} from '../support/case';

const mainDown = 'No n8n main responds: the editor, schedules and the API are unavailable.';
const noWorker = 'No n8n worker responds: executions wait in the queue and do not run.';

export const availability: CasesByAlert = {
  N8nMainDown: {
    fires: [
      { series: { [of('up', main)]: '1x10 0x10' }, atMinute: 15, summary: mainDown },
      // Its pod is gone, and with it the target.
      { series: { [of('up', main)]: '1x5 _x20' }, atMinute: 15, summary: mainDown },
      // Others of the same name are no help.
      {
        series: { 'up{namespace="other",release="n8n",role="main"}': '1x20' },
        atMinute: 15,
        summary: mainDown,
      },
    ],
    silent: [
      { series: { [of('up', main)]: '1x20' }, atMinute: 15 },
      { series: { [of('up', main)]: '1x10 0x10', [of('up', otherMain)]: '1x20' }, atMinute: 15 },
      // A rollout.
      { series: { [of('up', main)]: '1x10 0 1x10' }, atMinute: 12 },
    ],
  },
  N8nProcessDown: {
    fires: [
      {
        series: { [of('up', worker)]: '1x5 0x10', [of('up', otherWorker)]: '1x15' },
        atMinute: 12,
        labels: worker,
        summary: 'Prometheus has not reached worker n8n-n8n-tuned-worker-1 for 5 minutes.',
      },
    ],
    silent: [{ series: { [of('up', worker)]: '1x5 0x3 1x10' }, atMinute: 12 }],
  },
  N8nNoWorkerUp: {
    fires: [
      { series: { [of('up', worker)]: '1x5 0x10' }, atMinute: 12, summary: noWorker },
      { series: { [of('up', main)]: '1x15' }, atMinute: 12, summary: noWorker },
    ],
    silent: [
      { series: { [of('up', worker)]: '0x15', [of('up', otherWorker)]: '1x15' }, atMinute: 12 },
    ],
  },
  N8nNoLeader: {
    fires: [
      {
        series: {
          [of('n8n_instance_role_leader', main)]: '1x5 0x10',
          [of('n8n_instance_role_leader', otherMain)]: '0x15',
        },
        atMinute: 12,
        summary:
          '0 n8n mains report that they are the leader instead of exactly one: schedules do not run, or run twice.',
      },
      {
        series: {
          [of('n8n_instance_role_leader', main)]: '1x15',
          [of('n8n_instance_role_leader', otherMain)]: '1x15',
        },
        atMinute: 12,
        summary:
          '2 n8n mains report that they are the leader instead of exactly one: schedules do not run, or run twice.',
      },
    ],
    silent: [
      {
        series: {
          [of('n8n_instance_role_leader', main)]: '1x5 0x10',
          [of('n8n_instance_role_leader', otherMain)]: '0x6 1x10',
        },
        atMinute: 12,
      },
    ],
  },
  N8nRestarting: {
    fires: [
      {
        series: { [container('kube_pod_container_status_restarts_total')]: '0+0.1x70' },
        atMinute: 65,
        labels: { pod: worker['pod'] ?? '', container: 'n8n' },
        summary: 'n8n-n8n-tuned-worker-1 restarted 6 times within an hour.',
      },
    ],
    silent: [
      {
        series: { [container('kube_pod_container_status_restarts_total')]: '0x20 1x50' },
        atMinute: 65,
      },
      {
        series: {
          [container('kube_pod_container_status_restarts_total', { pod: 'other-1' })]: '0+0.1x70',
        },
        atMinute: 65,
      },
    ],
  },
};
