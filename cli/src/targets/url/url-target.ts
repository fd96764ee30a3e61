import { randomBytes } from 'node:crypto';
import { KEY_HEADER } from '../../catalogue/webhook-key';
import type { LoadRequest } from '../../../../loadtests/lib/workload';
import { messageOf, Mistake } from '../../ui/exit';
import { within } from '../../ui/within';
import { thisMachine } from '../machine';
import { awaitExpectedResponse, NotReady } from '../process/ready';
import type { MetricsEndpoint, Running, Target } from '../target';
import { baseUrlFrom, testText } from './address';
import { N8nApi, type N8nRequests } from './api';
import { apiBacklog, queueBacklog } from './backlog';
import { readMetrics, whyNoMetrics } from './metrics';
import { UrlJournal } from './journal';
import { OutsideNeeds } from './needs';
import { madeText } from './removal';
import { ApiSeeds } from './seeds';
import { traceFromNow } from './trace';
import type { ExportedWorkflow } from '../../catalogue/exported-workflow';
import { distance } from '../../../../loadtests/lib/nearest';
import { shortly } from '../../ui/said';
import { rowsOf } from './pages';

/** Which webhooks an n8n has, for somebody who has asked for another. */

const PAGE = 100;
/** More workflows than these are not read for a hint. */
const MAX_PAGES = 5;
const MAX_SHOWN = 5;
const WEBHOOK = 'n8n-nodes-base.webhook';

interface Asked {
  method: string;
  path: string;
}

/** A sentence; empty where none is active, or the key may not list them. */
async function knownWebhooks(api: N8nRequests, asked: Asked): Promise<string> {
  const wanted = `${asked.method} ${asked.path.replace(/[?#].*$/, '')}`;
  try {
    const found: string[] = [];
    const path = '/workflows?active=true&excludePinnedData=true';
    for await (const workflow of rowsOf<ExportedWorkflow>(api, path, {
      size: PAGE,
      max: MAX_PAGES,
    })) {
      found.push(...webhooksIn(workflow));
    }
    if (found.length === 0) return 'n8n has no active workflow with a webhook.';
    const near = [...new Set(found)].sort((a, b) => distance(wanted, a) - distance(wanted, b));
    const more = near.length > MAX_SHOWN ? ` and ${String(near.length - MAX_SHOWN)} more` : '';
    return `Active webhooks: ${near.slice(0, MAX_SHOWN).join(', ')}${more}.`;
  } catch {
    return '';
  }
}

/** Method and path of each, as they are requested. */
function webhooksIn({ nodes = [] }: ExportedWorkflow): string[] {
  return nodes.flatMap((node) => {
    const { type, disabled, parameters, webhookId } = node as unknown as Node;
    if (type !== WEBHOOK || disabled === true) return [];
    const { path: given, httpMethod = 'GET' } = parameters ?? {};
    const path = typeof given === 'string' && given !== '' ? given : webhookId;
    if (typeof path !== 'string') return [];
    // n8n puts the id before a path with parts that vary.
    const whole = path.includes(':') && webhookId !== undefined ? `${webhookId}/${path}` : path;
    return [httpMethod]
      .flat()
      .map((method) => shortly(`${String(method)} /webhook/${whole.replace(/^\/+/, '')}`, 100));
  });
}

interface Node {
  type?: string;
  disabled?: boolean;
  webhookId?: string;
  parameters?: { path?: unknown; httpMethod?: unknown };
}

export interface UrlTargetOptions {
  /** Whatever already runs there. */
  url: string;
  /** How long it may take until the real request is answered right. */
  readyTimeoutMs: number;
  /** API key of n8n; without one, the workflows must already exist. */
  apiKey: string | undefined;
  /** Addresses at which its processes serve metrics; by default /metrics of the address itself. */
  metrics?: readonly MetricsEndpoint[];
  /** The address at which it reaches a stand-in on this machine; left out: on loopback, as an n8n here does. */
  standIn?: string | undefined;
  /** Rejects where the user does not want this address to be loaded. */
  confirm(baseUrl: string): Promise<void>;
  warn(text: string): void;
}

/** What already runs somewhere. Nothing is changed there but what seed() has put in, and that is taken out. */
export function urlTarget({
  url,
  readyTimeoutMs,
  apiKey,
  metrics: given = [],
  standIn,
  confirm,
  warn,
}: UrlTargetOptions): Target {
  const baseUrl = baseUrlFrom(url);
  const api = apiKey === undefined ? null : new N8nApi(baseUrl, apiKey);
  const seeds =
    api === null
      ? null
      : new ApiSeeds(api, {
          journal: UrlJournal.of(baseUrl, randomBytes(4).toString('hex')),
          key: { header: KEY_HEADER, value: randomBytes(24).toString('base64url') },
          warn,
        });
  const addressed: Running['addressed'] = (requests) =>
    seeds === null ? [...requests] : seeds.addressed(requests);
  const needs = new OutsideNeeds({ baseUrl, seeds: seeds !== null, standIn });
  return {
    kind: 'url',
    up: async (progress, signal): Promise<Running> => {
      await confirm(baseUrl);
      tellLeftovers(baseUrl, warn);
      progress(`checking what runs at ${baseUrl}`);
      const shown: readonly MetricsEndpoint[] =
        given.length > 0
          ? given
          : [{ role: 'main', instance: 'main-1', url: `${baseUrl}/metrics` }];
      const said = await Promise.all(shown.map((each) => readMetrics(each.url, signal)));
      const silent = shown.find((_, index) => said[index] === null);
      if (given.length > 0 && silent !== undefined) {
        throw new Mistake(
          `--metrics-url ${silent.url} shows no n8n metrics (${await whyNoMetrics(silent.url, signal)}): set N8N_METRICS=true in the environment of that process (a worker also requires QUEUE_HEALTH_CHECK_ACTIVE=true), or remove this address.`,
        );
      }
      const metrics = shown.filter((_, index) => said[index] !== null);
      const seen = said.find((one) => one !== null) ?? null;
      return {
        kind: 'url',
        baseUrl,
        topology: null,
        versions: seen?.version === undefined ? {} : { n8n: seen.version },
        machine: thisMachine(),
        processes: () => needs.supervisor?.processes() ?? [],
        metrics,
        redis: null,
        postgresql: null,
        get logs() {
          return needs.logs;
        },
        onEvent: (listener) => needs.supervisor?.onEvent(listener) ?? (() => undefined),
        seed: async (workflows, tell) => {
          const place = await needs.meet(workflows, tell);
          await seeds?.seed(workflows, place, tell);
        },
        addressed,
        ready: (requests, tell, stop) =>
          within(readyTimeoutMs, stop, async (patience) => {
            for (const request of addressed(requests)) {
              if (TEST.test(request.path)) throw new Mistake(testText(request.path, baseUrl));
              tell(`waiting until ${request.method} ${request.path} gets its expected response`);
              try {
                await awaitExpectedResponse(baseUrl, request, patience);
              } catch (error) {
                if (stop.aborted) throw error;
                const more = await adviceFor(error, request, { baseUrl, api, unmet: needs.unmet });
                throw new Mistake(`${messageOf(error)}; no load was generated.${more}`);
              }
            }
          }),
        executions: () => Promise.resolve(null),
        services: () => needs.services(),
        effects: () => needs.effects(),
        backlog: async () =>
          (await queueBacklog(metrics.map((each) => each.url))) ??
          (api === null ? null : await apiBacklog(api)),
        traceExecutions: () => (api === null ? Promise.resolve(null) : traceFromNow(api)),
        down: async (tell) => {
          try {
            if (seeds !== null) {
              tell('removing what was imported');
              await seeds.takeOut();
            }
          } finally {
            await needs.end();
          }
        },
      };
    },
  };
}

function tellLeftovers(baseUrl: string, warn: (text: string) => void): void {
  const left = UrlJournal.all(warn).filter((each) => each.baseUrl === baseUrl);
  const things = left.filter(({ state }) => state === 'ended').flatMap(({ made }) => made);
  if (things.length === 0) return;
  warn(
    `an earlier command left ${things.map(madeText).join(', ')} in n8n at ${baseUrl}: to remove these objects, run n8n-tuned clean --url ${baseUrl}.`,
  );
}

const TEST = /^\/(webhook|form)-test\//;

/** What else there is to say of a request that never got its expected response. */
async function adviceFor(
  error: unknown,
  request: LoadRequest,
  { baseUrl, api, unmet }: { baseUrl: string; api: N8nApi | null; unmet: readonly string[] },
): Promise<string> {
  const status = error instanceof NotReady ? error.status : null;
  if (status === 404 || status === 405) {
    const hint = 'Set N8N_API_KEY to see the active webhooks of n8n.';
    const known = api === null ? hint : await knownWebhooks(api, request);
    return [needsText(unmet), known].map((text) => (text === '' ? '' : ` ${text}`)).join('');
  }
  if (unmet.length > 0) return ` ${needsText(unmet)}`;
  return status === null || status >= 300
    ? ''
    : ` Is the workflow active at ${baseUrl}, and does --expect describe its response?`;
}

const needsText = (unmet: readonly string[]): string =>
  unmet.length === 0 ? '' : `For this workload, n8n requires: ${unmet.join('; ')}.`;
