/**
 * Which nodes of n8n do their work in n8n, and what the others are, by their types. Whatever is not listed leaves n8n. A test
 * compares the lists with the node types that n8n itself describes. Pure.
 */

const BASE = 'n8n-nodes-base.';
export const LANGCHAIN = '@n8n/n8n-nodes-langchain.';

/** They need no service: n8n does what they do, with its own database and files. */
export const STAYS = new Set([
  ...`aggregate code compareDatasets compression convertToFile crypto dateTime editImage errorTrigger
  executeWorkflow executeWorkflowTrigger executionData extractFromFile filter form function functionItem html htmlExtract
  iCal if itemLists jwt limit manualTrigger markdown merge moveBinaryData noOp readBinaryFile readBinaryFiles readPDF
  readWriteFile removeDuplicates renameKeys respondToWebhook set sort splitInBatches splitOut spreadsheetFile stickyNote
  stopAndError summarize switch timeSaved wait writeBinaryFile xml`
    .split(/\s+/)
    .map((name) => BASE + name),
  ...`agent agentTool chainLlm chainRetrievalQa chainSummarization documentBinaryInputLoader documentDefaultDataLoader
  documentJsonInputLoader informationExtractor memoryBufferWindow memoryChatRetriever memoryManager modelSelector
  outputParserAutofixing outputParserItemList outputParserStructured retrieverContextualCompression retrieverMultiQuery
  retrieverVectorStore retrieverWorkflow sentimentAnalysis textClassifier textSplitterCharacterTextSplitter
  textSplitterRecursiveCharacterTextSplitter textSplitterTokenSplitter toolCalculator toolCode toolExecutor toolThink
  toolVectorStore toolWorkflow vectorStoreInMemory vectorStoreInMemoryInsert vectorStoreInMemoryLoad`
    .split(/\s+/)
    .map((name) => LANGCHAIN + name),
]);

export type NodeKind =
  | 'stays'
  /** Keeps its node, and calls the stand-in. */
  | 'http'
  | 'chat-model'
  | 'embeddings'
  | 'memory'
  | 'vector-store'
  /** What an agent calls, outside n8n. */
  | 'tool'
  | 'trigger'
  /** Everything else that n8n ships and that takes and gives items. */
  | 'service'
  /** Serves an agent and cannot be replaced. */
  | 'part-of-agent'
  /** A package that is not n8n's. */
  | 'unknown';

const HTTP = new Set([
  `${BASE}httpRequest`,
  `${BASE}httpRequestTool`,
  `${LANGCHAIN}toolHttpRequest`,
]);
const TRIGGERS = /trigger$|\.(webhook|cron|interval|start|emailReadImap)$/i;
const PARTS: readonly (readonly [RegExp, NodeKind])[] = [
  [/^lm[A-Z]/, 'chat-model'],
  [/^embeddings/, 'embeddings'],
  [/^memory/, 'memory'],
  [/^(chatHub)?vectorStore/i, 'vector-store'],
  [/^tool[A-Z]|Tool$/, 'tool'],
  [/^(document|reranker|retriever|outputParser|textSplitter)/, 'part-of-agent'],
];

export function kindOf(type: string): NodeKind {
  if (STAYS.has(type)) return 'stays';
  if (HTTP.has(type)) return 'http';
  if (TRIGGERS.test(type)) return 'trigger';
  if (type.startsWith(LANGCHAIN)) {
    const name = type.slice(LANGCHAIN.length);
    return PARTS.find(([pattern]) => pattern.test(name))?.[1] ?? 'service';
  }
  if (type.startsWith(BASE)) return type.endsWith('Tool') ? 'tool' : 'service';
  return 'unknown';
}

/** Without its package: `slack`. */
export const shortType = (type: string): string => type.replace(/^.*\./, '');

/** What n8n gives to code to call something, what Node.js has for it, and the packages of Python. */
const CALLS = [
  /httpRequest|requestWithAuthentication|helpers\W+request/,
  /\bfetch\s*\(|\brequire\s*\(|\bimport\s*[({'"]|XMLHttpRequest|WebSocket/,
  /^\s*(?:import|from)\s[^#\n]*\b(?:requests|httpx|aiohttp|http|urllib3?|socket|smtplib|ftplib|websockets?|subprocess)\b/m,
  /\b(?:urllib|requests)\.|__import__/,
];

/** Whether code may call something. */
export const callsOut = (code: string): boolean => CALLS.some((pattern) => pattern.test(code));
