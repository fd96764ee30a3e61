/** What a node that leaves n8n becomes in the twin. Pure. */
import type { Credential } from '../../../catalogue/seeding';
import { nameOf } from '../../../catalogue/triggers';
import { hostOfNode } from '../../../stand-in/analysis/published-limits';
import { kindOf, LANGCHAIN, shortType } from './node-kinds';
import { latencyText, type RecordedNode, type Recording } from './recorded';
import {
  parametersOf,
  textOf,
  without,
  type Replaced,
  type WorkflowNode,
  type WrittenRule,
} from './types';

/** Addresses that lead to the stand-in in place of a service. Pure. */

/** Bundled workflows have it too: each target puts the address of its stand-in there. */
const STAND_IN = 'http://127.0.0.1:5690';

interface Moved {
  url: string;
  /** Null: it is known only when the workflow runs. */
  host: string | null;
  /** Null likewise; without the query. */
  path: string | null;
}

/** A URL, or an expression of n8n that becomes one. */
export function movedUrl(given: string): Moved {
  const [sign, text] = given.startsWith('=') ? ['=', given.slice(1)] : ['', given];
  const [, host = '', rest = ''] = /^\s*https?:\/\/([^/?#{}\s]+)(.*)$/s.exec(text) ?? [];
  if (host !== '') {
    const path = rest.replace(/[?#].*$/s, '');
    return {
      url: `${sign}${STAND_IN}/to/${host}${rest}`,
      host: host.replace(/:\d+$/, '').toLowerCase(),
      path: path.includes('{{') ? null : path === '' ? '/' : path,
    };
  }
  const [, expression = '', after = ''] =
    /^\s*(?:https?:\/\/)?\{\{(.*?)\}\}(.*)$/s.exec(text) ?? [];
  if (sign === '=' && expression.trim() !== '') {
    const bare = `{{ String(${expression.trim()}).replace(/^https?:\\/\\//, '') }}`;
    return { url: `=${STAND_IN}/to/${bare}${after}`, host: null, path: null };
  }
  // n8n takes a URL without its protocol as one of http.
  const [, bareHost = ''] = /^([^/?#{}\s]+)/.exec(text) ?? [];
  return bareHost === ''
    ? { url: `${STAND_IN}/to/unknown/`, host: null, path: null }
    : movedUrl(`${sign}http://${text}`);
}

/** A fast web service, where nothing was recorded. */
const DEFAULT_LATENCY = { p50: '120ms', p95: '600ms' };

/** What credentials of a test hold: an address, and a key that opens nothing. */
const CREDENTIALS: Record<string, Credential> = {
  openAiApi: {
    ...{ id: 'twin-openai', name: 'Twin: stand-in of OpenAI', type: 'openAiApi' },
    data: { apiKey: 'opens-nothing', url: `${STAND_IN}/to/api.openai.com/v1` },
  },
  anthropicApi: {
    ...{ id: 'twin-anthropic', name: 'Twin: stand-in of Anthropic', type: 'anthropicApi' },
    data: { apiKey: 'opens-nothing', url: `${STAND_IN}/to/api.anthropic.com` },
  },
};

/** Null: nothing here can replace it. `path` is its own in the stand-in. */
export function replaced(
  node: WorkflowNode,
  path: string,
  recorded: RecordedNode | undefined,
): Replaced | null {
  switch (kindOf(node.type)) {
    case 'http':
      return withMovedUrl(node, recorded);
    case 'chat-model':
      return node.type === `${LANGCHAIN}lmChatAnthropic`
        ? withCredential(node, parametersOf(node), 'anthropicApi')
        : chatModel(node);
    case 'embeddings':
      return withCredential(
        { ...node, type: `${LANGCHAIN}embeddingsOpenAi`, typeVersion: 1.2 },
        { options: {} },
        'openAiApi',
      );
    case 'memory':
      return inMemory(node, 'memoryBufferWindow', 1.3, [
        'sessionIdType',
        'sessionKey',
        'contextWindowLength',
      ]);
    case 'vector-store':
      return inMemory(node, 'vectorStoreInMemory', 1.1, [
        'mode',
        'prompt',
        'topK',
        'toolName',
        'toolDescription',
      ]);
    case 'tool':
      return standsFor(node, path, recorded, {
        ...{ type: 'n8n-nodes-base.httpRequestTool', typeVersion: 4.2 },
        description: descriptionOf(node),
      });
    case 'service':
      return standsFor(node, path, recorded, {
        type: 'n8n-nodes-base.httpRequest',
        typeVersion: 4.2,
      });
    case 'unknown':
      return recorded === undefined
        ? null
        : standsFor(node, path, recorded, { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 });
    default:
      return null;
  }
}

const recordedText = (recorded: RecordedNode | undefined): string =>
  recorded === undefined ? 'nothing' : 'executions';

function answerOf(recorded: RecordedNode | undefined): WrittenRule {
  if (recorded === undefined) return { latency: DEFAULT_LATENCY, json: { ok: true } };
  const { callsMs, items } = recorded;
  return { latency: latencyText(callsMs), json: items.length === 1 ? items[0] : items };
}

/** What an HTTP Request was answered, of which its options may have made another item. */
function answerTo(node: WorkflowNode, recorded: RecordedNode | undefined): WrittenRule {
  const answer = answerOf(recorded);
  const { response } = (parametersOf(node)['options'] ?? {}) as {
    response?: { response?: unknown };
  };
  const form = (response?.response ?? {}) as Record<string, unknown>;
  const field =
    form['fullResponse'] === true ? 'body' : textOf(form['outputPropertyName']) || 'data';
  const given = recorded?.items[0];
  const isWrapped = form['fullResponse'] === true || form['responseFormat'] === 'text';
  if (!isWrapped || typeof given !== 'object' || given === null) return answer;
  const rest = without(answer, 'json');
  const held = (given as Record<string, unknown>)[field] ?? null;
  return typeof held === 'string' ? { ...rest, text: held } : { ...rest, json: held };
}

/** A language model as it was recorded: all of its time before the first token, as n8n waits for the whole answer. */
export function modelOf(
  sources: readonly { recording: Recording }[],
): Record<string, unknown> | null {
  const models = sources.flatMap(({ recording }) =>
    [...recording.nodes.values()].filter(({ tokens }) => tokens !== undefined),
  );
  const [model] = models;
  if (model === undefined) return null;
  return { tokens: model.tokens, firstToken: latencyText(model.callsMs), betweenTokens: '0s' };
}

/** Its pages, its retries and what it sends stay as they are. */
function withMovedUrl(node: WorkflowNode, recorded: RecordedNode | undefined): Replaced {
  const parameters = parametersOf(node);
  const { url, host, path } = movedUrl(textOf(parameters['url']));
  return {
    node: {
      ...without(node, 'credentials'),
      parameters: {
        ...(withMovedNextUrl(parameters) as Record<string, unknown>),
        ...{ url, authentication: 'none', options: withoutProxy(parameters['options']) },
      },
    },
    row: {
      node: nameOf(node),
      talksTo: host ?? 'an address of the items',
      inTest: 'stand-in',
      recordedFrom: recordedText(recorded),
    },
    rules:
      host === null && recorded === undefined
        ? []
        : [
            {
              ...(host === null ? {} : { host }),
              ...methodOf(parameters),
              ...(path === null ? {} : { path }),
              ...answerTo(node, recorded),
            },
          ],
    credentials: [],
  };
}

/** Calls of one address by other methods have answers of their own. */
function methodOf({ method, requestMethod }: Record<string, unknown>): { method?: string } {
  const named = textOf(method) || textOf(requestMethod) || 'GET';
  return /^[A-Z]+$/.test(named) ? { method: named } : {};
}

/** Through the proxy of the original the request would leave n8n after all. */
const withoutProxy = (options: unknown): object =>
  without((withMovedNextUrl(options) ?? {}) as object, 'proxy');

/** The address of a next page may be one of the service. */
function withMovedNextUrl(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMovedNextUrl);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === 'nextURL' && typeof part === 'string' ? movedUrl(part).url : withMovedNextUrl(part),
    ]),
  );
}

function withCredential(
  node: WorkflowNode,
  parameters: Record<string, unknown>,
  type: keyof typeof CREDENTIALS,
): Replaced {
  const credential = CREDENTIALS[type];
  if (credential === undefined) throw new Error(`no credential ${type}`);
  const { id, name } = credential;
  return {
    node: { ...node, parameters, credentials: { [type]: { id, name } } },
    row: {
      ...{ node: nameOf(node), talksTo: type === 'anthropicApi' ? 'Anthropic' : 'OpenAI' },
      ...{ inTest: 'stand-in, by its credential', recordedFrom: 'nothing' },
    },
    rules: [],
    credentials: [credential],
  };
}

/** OpenAI's keeps its node; another one becomes it. */
function chatModel(node: WorkflowNode): Replaced {
  const type = `${LANGCHAIN}lmChatOpenAi`;
  const { options, ...rest } = parametersOf(node);
  const others = without((options ?? {}) as object, 'baseURL');
  const own =
    node.type === type
      ? withCredential(node, { ...rest, options: others }, 'openAiApi')
      : withCredential(
          { ...node, type, typeVersion: 1.2 },
          { model: { __rl: true, mode: 'id', value: 'gpt-5-mini' }, options: {} },
          'openAiApi',
        );
  return { ...own, row: { ...own.row, talksTo: shortType(node.type).replace(/^lm(Chat)?/, '') } };
}

function inMemory(
  node: WorkflowNode,
  type: string,
  typeVersion: number,
  keeps: readonly string[],
): Replaced {
  const parameters = Object.entries(parametersOf(node)).filter(([key]) => keeps.includes(key));
  return {
    node: {
      ...without(node, 'credentials'),
      type: LANGCHAIN + type,
      typeVersion,
      parameters: Object.fromEntries(parameters),
    },
    row: {
      ...{ node: nameOf(node), talksTo: shortType(node.type) },
      ...{ inTest: "n8n's own memory", recordedFrom: 'nothing' },
    },
    ...{ rules: [], credentials: [] },
  };
}

/** What is around the work of a node: it stays whatever does that work. */
const AROUND =
  `id name position notes notesInFlow disabled retryOnFail maxTries waitBetweenTries continueOnFail onError
  alwaysOutputData executeOnce`.split(/\s+/);

function standsFor(
  node: WorkflowNode,
  path: string,
  recorded: RecordedNode | undefined,
  by: { type: string; typeVersion: number; description?: string },
): Replaced {
  const host = hostOfNode(shortType(node.type));
  const kept = Object.entries(node).filter(([key]) => AROUND.includes(key));
  const { type, typeVersion, description } = by;
  return {
    node: {
      ...(Object.fromEntries(kept) as Partial<WorkflowNode>),
      ...{ type, typeVersion },
      parameters: {
        ...(description === undefined ? {} : { toolDescription: description }),
        ...{ url: `${STAND_IN}/to/${host}${path}`, options: {} },
      },
    },
    row: {
      ...{ node: nameOf(node), talksTo: shortType(node.type) },
      ...{ inTest: 'stand-in', recordedFrom: recordedText(recorded) },
    },
    rules: [{ host, path, ...answerOf(recorded) }],
    credentials: [],
  };
}

const descriptionOf = (node: WorkflowNode): string => {
  const { toolDescription, description } = parametersOf(node);
  return textOf(toolDescription) || textOf(description) || nameOf(node);
};
