/** What a node that leaves n8n becomes in the twin. Pure. */
import type { Credential } from '../../../catalogue/seeding';
import { nameOf } from '../../../catalogue/triggers';
import { movedUrl, STAND_IN } from './address';
import { kindOf, shortType } from './node-kinds';
import { latencyText, type RecordedNode } from './recorded';
import { parametersOf, textOf, type Replaced, type WorkflowNode, type WrittenRule } from './types';

const LANGCHAIN = '@n8n/n8n-nodes-langchain.';
/** A fast web service, where nothing was recorded. */
const DEFAULT_LATENCY = { p50: '120ms', p95: '600ms' };

/** What credentials of a test hold: an address, and a key that opens nothing. */
const CREDENTIALS: Record<string, Credential> = {
  openAiApi: {
    ...{ id: 'twin-openai', name: 'Twin: stand-in of OpenAI', type: 'openAiApi' },
    data: { apiKey: 'opens-nothing', url: `${STAND_IN}/v1` },
  },
  anthropicApi: {
    ...{ id: 'twin-anthropic', name: 'Twin: stand-in of Anthropic', type: 'anthropicApi' },
    data: { apiKey: 'opens-nothing', url: STAND_IN },
  },
};

/** Null: nothing here can replace it. `slug` is its own among all nodes of the twin. */
export function replaced(
  node: WorkflowNode,
  slug: string,
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
      return standsFor(node, slug, recorded, {
        ...{ type: 'n8n-nodes-base.httpRequestTool', typeVersion: 4.2 },
        description: descriptionOf(node),
      });
    case 'service':
      return standsFor(node, slug, recorded, {
        type: 'n8n-nodes-base.httpRequest',
        typeVersion: 4.2,
      });
    case 'unknown':
      return recorded === undefined
        ? null
        : standsFor(node, slug, recorded, { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 });
    default:
      return null;
  }
}

const recordedText = (recorded: RecordedNode | undefined): string =>
  recorded === undefined ? 'nothing' : 'the execution';

function answerOf(recorded: RecordedNode | undefined): WrittenRule {
  if (recorded === undefined) return { latency: DEFAULT_LATENCY, json: { ok: true } };
  const { callsMs, items } = recorded;
  return { latency: latencyText(callsMs), json: items.length === 1 ? items[0] : items };
}

/** Its pages, its retries and what it sends stay as they are. */
function withMovedUrl(node: WorkflowNode, recorded: RecordedNode | undefined): Replaced {
  const { credentials, ...rest } = node;
  void credentials;
  const parameters = parametersOf(node);
  const { url, host, path } = movedUrl(textOf(parameters['url']));
  return {
    node: {
      ...rest,
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
              ...(path === null ? {} : { path }),
              ...answerOf(recorded),
            },
          ],
    credentials: [],
  };
}

/** Through the proxy of the original the request would leave n8n after all. */
function withoutProxy(options: unknown): object {
  const { proxy, ...rest } = (withMovedNextUrl(options) ?? {}) as Record<string, unknown>;
  void proxy;
  return rest;
}

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
  const { baseURL, ...others } = (options ?? {}) as Record<string, unknown>;
  void baseURL;
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
  const { credentials, ...rest } = node;
  void credentials;
  const parameters = Object.entries(parametersOf(node)).filter(([key]) => keeps.includes(key));
  return {
    node: {
      ...rest,
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
  slug: string,
  recorded: RecordedNode | undefined,
  by: { type: string; typeVersion: number; description?: string },
): Replaced {
  const path = `/node/${slug}`;
  const kept = Object.entries(node).filter(([key]) => AROUND.includes(key));
  const { type, typeVersion, description } = by;
  return {
    node: {
      ...(Object.fromEntries(kept) as Partial<WorkflowNode>),
      ...{ type, typeVersion },
      parameters: {
        ...(description === undefined ? {} : { toolDescription: description }),
        ...{ url: STAND_IN + path, options: {} },
      },
    },
    row: {
      ...{ node: nameOf(node), talksTo: shortType(node.type) },
      ...{ inTest: 'stand-in', recordedFrom: recordedText(recorded) },
    },
    rules: [{ path, ...answerOf(recorded) }],
    credentials: [],
  };
}

const descriptionOf = (node: WorkflowNode): string => {
  const { toolDescription, description } = parametersOf(node);
  return textOf(toolDescription) || textOf(description) || nameOf(node);
};
