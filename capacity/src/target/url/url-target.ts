import { UserError } from '../../ui/exit';
import { thisMachine } from '../machine';
import { answersRight } from '../process/ready';
import type { MetricsEndpoint, Running, Target } from '../target';
import { N8nApi } from './api';
import { readMetrics } from './metrics';

export interface UrlTargetOptions {
  /** Whatever already runs there. */
  url: string;
  /** How long it may take until the real request is answered right. */
  readyTimeoutMs: number;
  /** Of an n8n; without one, the workflows must be there already. */
  apiKey: string | undefined;
}

/** What already runs somewhere. Nothing is changed there but what seed() has put in, and that is taken out. */
export function urlTarget({ url, readyTimeoutMs, apiKey }: UrlTargetOptions): Target {
  const baseUrl = baseUrlFrom(url);
  const api = apiKey === undefined ? null : new N8nApi(baseUrl, apiKey);
  return {
    kind: 'url',
    up: async (progress, signal): Promise<Running> => {
      progress(`asking ${baseUrl} what it is`);
      const seen = await readMetrics(baseUrl, signal);
      const metrics: MetricsEndpoint[] =
        seen === null ? [] : [{ role: 'main', instance: 'main-1', url: `${baseUrl}/metrics` }];
      return {
        kind: 'url',
        baseUrl,
        topology: null,
        versions: seen?.version === undefined ? {} : { n8n: seen.version },
        machine: thisMachine(),
        processes: () => [],
        metrics,
        redis: null,
        postgresql: null,
        logs: [],
        onEvent: () => undefined,
        seed: async (workflows, tell) => {
          if (api === null) return;
          for (const workflow of workflows) {
            tell(`putting the workflow ${workflow.name} into n8n`);
            await api.seed(workflow);
          }
        },
        ready: async (requests, tell, stop) => {
          const patience = AbortSignal.any([stop, AbortSignal.timeout(readyTimeoutMs)]);
          for (const request of requests) {
            tell(`waiting until ${request.method} ${request.path} is answered right`);
            try {
              await answersRight(baseUrl, request, patience);
            } catch (error) {
              if (stop.aborted) throw error;
              throw new UserError(
                `${error instanceof Error ? error.message : String(error)}; no load was made. Is it active at ${baseUrl}, and is --expect what it answers?`,
              );
            }
          }
        },
        executions: () => Promise.resolve(null),
        down: async (tell) => {
          if (api === null) return;
          tell('taking out what was put in');
          await api.takeOut();
        },
      };
    },
  };
}

function baseUrlFrom(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UserError(`--url is '${text}': write it like http://127.0.0.1:5678.`);
  }
  return text.replace(/\/+$/, '');
}
