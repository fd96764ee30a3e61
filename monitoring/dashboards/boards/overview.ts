import * as panels from '../panels';
import { chosen, type DashboardSpec } from '../spec';

export const overview: DashboardSpec = {
  uid: 'n8n-overview',
  title: 'n8n / Overview',
  description:
    'Is n8n healthy? Each row answers one question; the other dashboards show the reasons.',
  rows: [
    {
      title: 'Is it up?',
      panels: [
        panels.processesUp,
        panels.activeWorkflows,
        panels.failedShare,
        {
          title: 'Started',
          kind: 'number',
          unit: 's',
          queries: [
            {
              expr: `time() - max by (role) (${chosen('n8n_process_start_time_seconds')})`,
              legend: '{{role}}',
            },
          ],
          meaning: 'Time since the newest process of each role started.',
          whenBad:
            'If a process started minutes ago, but nobody has deployed n8n, see runbooks N8nRestarting and N8nOutOfMemoryKill.',
        },
      ],
    },
    { title: 'Does it work?', panels: [panels.executionsPerSecond, panels.webhooksPerSecond] },
    { title: 'Is it fast?', panels: [panels.webhookLatency, panels.eventLoopLag] },
    { title: 'Is there room?', panels: [panels.cpuCores, panels.heapShare] },
  ],
};
