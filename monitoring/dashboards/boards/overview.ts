import * as panels from '../panels';
import { chosen, type DashboardSpec } from '../spec';

export const overview: DashboardSpec = {
  uid: 'n8n-overview',
  title: 'n8n / Overview',
  description: 'Is n8n healthy? One row per question; the other dashboards say why.',
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
          meaning: 'How long ago the youngest process of each role started.',
          whenBad:
            'Minutes, and nobody has deployed: runbooks N8nRestarting and N8nOutOfMemoryKill.',
        },
      ],
    },
    { title: 'Does it work?', panels: [panels.executionsPerSecond, panels.webhooksPerSecond] },
    { title: 'Is it fast?', panels: [panels.webhookLatency, panels.eventLoopLag] },
    { title: 'Is there room?', panels: [panels.cpuCores, panels.heapShare] },
  ],
};
