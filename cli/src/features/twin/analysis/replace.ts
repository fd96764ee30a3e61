/** What a node that leaves n8n becomes in the twin. Pure. */
import type { Credential } from '../../../catalogue/seeding';
import { nameOf } from '../../../catalogue/triggers';
import { modelApi } from '../../../stand-in/analysis/model/apis';
import { hostOfNode } from '../../../stand-in/analysis/published-limits';
import { formOf } from './entry';
import { LANGCHAIN, shortType, type NodeKind } from './node-kinds';
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
  httpHeaderAuth: {
    ...{ id: 'twin-service', name: 'Twin: stand-in of a service', type: 'httpHeaderAuth' },
    data: { name: 'x-twin', value: 'opens-nothing' },
  },
  jwtAuth: {
    ...{ id: 'twin-jwt', name: 'Twin: signs for nobody', type: 'jwtAuth' },
    data: { keyType: 'passphrase', secret: 'opens-nothing', algorithm: 'HS256' },
  },
  crypto: {
    ...{ id: 'twin-crypto', name: 'Twin: hides nothing', type: 'crypto' },
    data: { hmacSecret: 'opens-nothing', encryptionPassphrase: 'opens-nothing-at-all' },
  },
};

interface Authentication {
  parameters: Record<string, string>;
  credentials: Record<string, { id: string; name: string }>;
  made: Credential[];
}

const NO_AUTHENTICATION: Authentication = {
  ...{ parameters: { authentication: 'none' }, credentials: {}, made: [] },
};

/** A request in the place of a node is authenticated too: n8n reads and decrypts a credential for each execution. */
function authenticationFor(node: WorkflowNode): Authentication {
  const type = 'httpHeaderAuth';
  const credential = CREDENTIALS[type];
  if (credential === undefined || Object.keys(node['credentials'] ?? {}).length === 0) {
    return NO_AUTHENTICATION;
  }
  const { id, name } = credential;
  return {
    parameters: { authentication: 'genericCredentialType', genericAuthType: type },
    ...{ credentials: { [type]: { id, name } }, made: [credential] },
  };
}

/** What signs and encrypts in n8n itself does so with secrets of the test; no other credential is needed there. */
export function withOwnSecrets(node: WorkflowNode): {
  node: WorkflowNode;
  credentials: Credential[];
} {
  const { credentials: given } = node;
  if (typeof given !== 'object' || given === null) return { node, credentials: [] };
  const credentials = Object.keys(given).flatMap((type) => CREDENTIALS[type] ?? []);
  const named = credentials.map(({ id, name, type }) => [type, { id, name }]);
  const { options, ...parameters } = parametersOf(node);
  return {
    node: {
      ...without(node, 'credentials'),
      // Another algorithm would need a key of its own kind.
      parameters: {
        ...parameters,
        ...(options === undefined ? {} : { options: without(options ?? {}, 'algorithm') }),
      },
      ...(named.length === 0 ? {} : { credentials: Object.fromEntries(named) as object }),
    },
    credentials,
  };
}

/** Pages of a form and waits for a call need somebody outside: their items are there at once. Null: it is none of them. */
export function withoutPeople(
  node: WorkflowNode,
  recorded: RecordedNode | undefined,
): Pick<Replaced, 'node' | 'row'> | null {
  const { operation, resume } = parametersOf(node);
  const isForm = node.type === 'n8n-nodes-base.form';
  const waits = node.type === 'n8n-nodes-base.wait' && ['webhook', 'form'].includes(textOf(resume));
  if (!isForm && !waits) return null;
  const becomes =
    isForm && operation === 'completion'
      ? { type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} }
      : {
          ...{ type: 'n8n-nodes-base.set', typeVersion: 3.4 },
          parameters: {
            ...{ mode: 'raw', options: {} },
            jsonOutput: JSON.stringify(recorded?.items[0] ?? formOf(node)),
          },
        };
  return {
    node: { ...aroundOf(node), ...becomes },
    row: {
      ...{ node: nameOf(node), talksTo: 'its callers' },
      inTest: isForm ? 'filled in at once' : 'continues at once',
      recordedFrom: recordedText(recorded),
    },
  };
}

/** Null: nothing here can replace it. `path` is its own in the stand-in. */
export function replaced(
  node: WorkflowNode,
  kind: NodeKind,
  path: string,
  recorded: RecordedNode | undefined,
): Replaced | null {
  switch (kind) {
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
      return vectorStore(node);
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
  const { callsMs, items, files = [] } = recorded;
  const latency = latencyText(callsMs);
  const [file] = files;
  if (file === undefined) return { latency, json: items.length === 1 ? items[0] : items };
  const { type, name, bytes } = file;
  const disposition = `attachment; filename="${name.replace(/["\\\r\n]/g, '')}"`;
  return {
    latency,
    headers: { 'content-type': type, 'content-disposition': disposition },
    json: { $text: bytes },
  };
}

/** What an HTTP Request was answered, of which its options may have made another item. */
function answerTo(node: WorkflowNode, recorded: RecordedNode | undefined): WrittenRule {
  const answer = answerOf(recorded);
  if (recorded?.files !== undefined) return answer;
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
  const options = without((parameters['options'] ?? {}) as object, 'proxy');
  const paged = inPages(options as Options, url, recorded);
  // The first version of the node, and the tool, have other names for it.
  const isUsual = node.type !== `${LANGCHAIN}toolHttpRequest` && Number(node['typeVersion']) >= 2;
  const by = isUsual ? authenticationFor(node) : NO_AUTHENTICATION;
  return {
    node: {
      ...without(node, 'credentials'),
      ...(by.made.length === 0 ? {} : { credentials: by.credentials }),
      parameters: {
        ...parameters,
        // A certificate is a credential too, and through the proxy of the original the request would leave n8n after all.
        ...(parameters['provideSslCertificates'] === true ? { provideSslCertificates: false } : {}),
        ...{ url, ...by.parameters, options: paged?.options ?? options },
      },
    },
    row: {
      node: nameOf(node),
      talksTo: host ?? 'an address of the items',
      inTest: 'stand-in',
      recordedFrom: recordedText(recorded),
    },
    rules:
      recorded === undefined && (host === null || isModel(parameters, path))
        ? []
        : [
            {
              ...(host === null ? {} : { host }),
              ...methodOf(parameters),
              ...(path === null ? {} : { path }),
              ...answerTo(node, paged?.recorded ?? betweenBatches(options as Options, recorded)),
              // n8n ends what is answered alike several times.
              ...(paged === null ? {} : { headers: { etag: '{{n}}' } }),
            },
          ],
    credentials: by.made,
  };
}

/** What the stand-in answers as a language model, unless a rule is in the way. */
const isModel = (parameters: Record<string, unknown>, path: string | null): boolean =>
  path !== null && modelApi(methodOf(parameters).method ?? '', path) !== null;

/** Calls of one address by other methods have answers of their own. */
function methodOf({ method, requestMethod }: Record<string, unknown>): { method?: string } {
  const named = textOf(method) || textOf(requestMethod) || 'GET';
  return /^[A-Z]+$/.test(named) ? { method: named } : {};
}

interface Options {
  batching?: { batch?: { batchSize?: unknown; batchInterval?: unknown } };
  pagination?: { pagination?: Record<string, unknown> };
}

const usedMs = (recorded: RecordedNode, elsewhereMs: number, calls = 1): RecordedNode => ({
  ...recorded,
  callsMs: recorded.callsMs.map((ms) => Math.max(0, ms - elsewhereMs) / calls),
});

/** Without the time that n8n itself waits between batches, in the original and in the twin alike. */
function betweenBatches(
  { batching }: Options,
  recorded: RecordedNode | undefined,
): RecordedNode | undefined {
  const { batchSize, batchInterval } = batching?.batch ?? {};
  const intervalMs = Number(batchInterval);
  if (recorded === undefined || batching === undefined || !(intervalMs > 0)) return recorded;
  const size = Number(batchSize) > 0 ? Number(batchSize) : 1;
  return usedMs(recorded, intervalMs * (Math.ceil((recorded.perRun ?? 1) / size) - 1));
}

/**
 * The stand-in serves the number of pages that was recorded, all like the first: what a page says of the next is masked,
 * and leads nowhere here. Null: there are no pages.
 */
function inPages(
  options: Options,
  url: string,
  recorded: RecordedNode | undefined,
): { options: object; recorded: RecordedNode | undefined } | null {
  const given = options.pagination?.pagination;
  if (given === undefined || given['paginationMode'] === 'off') return null;
  // A page that is a list becomes an item each, so how many there were is not known.
  const isItem = /\$response\.body\??\.(?!length\b)/.test(JSON.stringify(given));
  const pages = isItem ? Math.max(1, recorded?.items.length ?? 1) : 1;
  const betweenMs = Number(given['requestInterval'] ?? 0) || 0;
  return {
    options: {
      ...options,
      pagination: {
        pagination: {
          ...given,
          ...(given['paginationMode'] === 'responseContainsNextURL' ? { nextURL: url } : {}),
          ...{ paginationCompleteWhen: 'other', completeExpression: '={{ false }}' },
          ...{ limitPagesFetched: true, maxRequests: pages },
        },
      },
    },
    recorded: recorded && {
      ...usedMs(recorded, betweenMs * (pages - 1), pages),
      items: pages > 1 ? recorded.items.slice(0, 1) : recorded.items,
    },
  };
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

function vectorStore(node: WorkflowNode): Replaced {
  const keeps = ['mode', 'prompt', 'topK', 'toolName', 'toolDescription'];
  const made = inMemory(node, 'vectorStoreInMemory', 1.1, keeps);
  const parameters = parametersOf(made.node);
  const { mode } = parameters;
  return {
    ...made,
    node: {
      ...made.node,
      // It begins empty, and each request would make it larger.
      ...(mode === 'insert' ? { parameters: { ...parameters, clearStore: true } } : {}),
      ...(mode === 'load' ? { alwaysOutputData: true } : {}),
    },
  };
}

/** What is around the work of a node: it stays whatever does that work. */
const AROUND =
  `id name position notes notesInFlow disabled retryOnFail maxTries waitBetweenTries continueOnFail onError
  alwaysOutputData executeOnce`.split(/\s+/);

const aroundOf = (node: WorkflowNode): Partial<WorkflowNode> =>
  Object.fromEntries(Object.entries(node).filter(([key]) => AROUND.includes(key)));

function standsFor(
  node: WorkflowNode,
  path: string,
  recorded: RecordedNode | undefined,
  by: { type: string; typeVersion: number; description?: string },
): Replaced {
  const host = hostOfNode(shortType(node.type));
  const { type, typeVersion, description } = by;
  const [file] = recorded?.files ?? [];
  const auth = authenticationFor(node);
  const response = { responseFormat: 'file', outputPropertyName: file?.key };
  return {
    node: {
      ...aroundOf(node),
      ...{ type, typeVersion },
      ...(auth.made.length === 0 ? {} : { credentials: auth.credentials }),
      parameters: {
        ...(auth.made.length === 0 ? {} : auth.parameters),
        ...(description === undefined ? {} : { toolDescription: description }),
        ...{ url: `${STAND_IN}/to/${host}${path}`, ...sentBy(node) },
        options: file === undefined ? {} : { response: { response } },
      },
    },
    row: {
      ...{ node: nameOf(node), talksTo: shortType(node.type) },
      ...{ inTest: 'stand-in', recordedFrom: recordedText(recorded) },
    },
    rules: [{ host, path, ...answerOf(recorded) }],
    credentials: auth.made,
  };
}

/** The n8n of a test need not have what these read, and a request has other parameters. */
const OF_THE_ORIGINAL = /\$(env|secrets|parameter)\b/;

interface Computed {
  name: string;
  value: string;
}

/** Expressions in the parameters of a node, by where they are. */
function computedIn(value: unknown, where: readonly string[] = []): Computed[] {
  if (typeof value === 'string') {
    const isComputed = value.startsWith('=') && !OF_THE_ORIGINAL.test(value);
    return isComputed ? [{ name: where.join('_'), value }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => computedIn(part, [...where, key]));
}

/** What a node computes of its items takes n8n time too, so the request in its place computes and sends it. */
function sentBy(node: WorkflowNode): Record<string, unknown> {
  const parameters = computedIn(node['parameters']);
  return parameters.length === 0
    ? {}
    : { method: 'POST', sendBody: true, bodyParameters: { parameters } };
}

const descriptionOf = (node: WorkflowNode): string => {
  const { toolDescription, description } = parametersOf(node);
  return textOf(toolDescription) || textOf(description) || nameOf(node);
};
