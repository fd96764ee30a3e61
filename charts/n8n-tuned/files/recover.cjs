// Generated from cli/src/features/recover by tools/generate.ts. docs/recovery.md
"use strict";

// cli/src/targets/n8n-module.ts
var import_node_fs = require("node:fs");
var import_node_module = require("node:module");
var import_node_path = require("node:path");

// loadtests/lib/mistake.ts
var Mistake = class extends Error {
};

// cli/src/ui/errors.ts
var Failure = class extends Error {
};
var Interrupted = class extends Error {
};
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

// cli/src/targets/n8n-module.ts
function moduleOfN8n(name, path = process.env["PATH"] ?? "") {
  for (const folder of path.split(import_node_path.delimiter)) {
    try {
      return (0, import_node_module.createRequire)((0, import_node_fs.realpathSync)((0, import_node_path.join)(folder, "n8n")))(name);
    } catch {
    }
  }
  throw new Failure(`this image has no n8n with the package ${name}`);
}

// cli/src/features/recover/once.ts
var import_promises = require("node:timers/promises");

// cli/src/ui/said.ts
function shortly(text, most = 200) {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most).trimEnd()}\u2026` : line;
}
function wordsIn(body) {
  if (/^\s*<(!doctype|html|\?xml)/i.test(body)) return "";
  try {
    const { message, hint, error } = JSON.parse(body);
    const parts = [message ?? error, hint].filter((part) => typeof part === "string");
    if (parts.length > 0) return shortly(parts.map((part) => part.trim()).join(" "), 300);
  } catch {
  }
  return shortly(body);
}

// cli/src/ui/unreachable.ts
var NOBODY = ["ECONNREFUSED"];
var UNKNOWN_NAME = ["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"];
var NO_WAY = ["EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "EHOSTDOWN"];
var SILENT = [
  ...["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
  ...["TimeoutError", "AbortError", "ABORT_ERR"]
];
var CUT = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];
var NO_AUTHORITY = [
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "CERT_UNTRUSTED"],
  ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT"],
  ...["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "INVALID_CA"]
];
var NOT_TLS = [
  ...["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "ERR_SSL_HTTP_REQUEST"],
  ...["ERR_SSL_UNKNOWN_PROTOCOL", "ERR_SSL_RECORD_TOO_SMALL", "ERR_SSL_BAD_RECORD_TYPE"]
];
var isOfNetwork = (error) => [...NOBODY, ...UNKNOWN_NAME, ...NO_WAY, ...SILENT, ...CUT].includes(codeOf(error));
function unreachable(error, url, server = "n8n") {
  const code = codeOf(error);
  const place = placeOf(url);
  const isTls = url.startsWith("https:");
  if (NO_AUTHORITY.includes(code)) {
    return final(
      `the certificate of ${place} comes from no authority that is known here: name a file with that of the authority, or with this one if it is self-signed, in NODE_EXTRA_CA_CERTS for this command and in SSL_CERT_FILE for k6`
    );
  }
  if (code === "CERT_HAS_EXPIRED") {
    return final(`the certificate of ${place} has expired: renew it there`);
  }
  if (code === "CERT_NOT_YET_VALID") {
    return final(
      `the certificate of ${place} is not valid yet: is the clock of this machine right`
    );
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return final(
      `the certificate of ${place} is for another name: use the name that it is for in the address`
    );
  }
  if (NOT_TLS.includes(code)) {
    return final(`${place} speaks HTTP without TLS: write http:// in place of https://`);
  }
  if (/^ERR_(SSL|TLS)_|^EPROTO$/.test(code)) {
    return final(`${place} and this command agree on no version of TLS: is it a port of HTTPS`);
  }
  if (code.startsWith("HPE_")) {
    return final(
      isTls ? `what answers at ${place} is not HTTP: is it the port of n8n` : `what answers at ${place} is not HTTP: is it the port of n8n, or does it want https://`
    );
  }
  if (UNKNOWN_NAME.includes(code)) {
    return again(
      `the name ${hostOf(url)} is not known to DNS: is it spelled right, and is a VPN needed`
    );
  }
  if (NOBODY.includes(code)) {
    return again(
      `nothing listens at ${place}: is ${server} running, and is that its address and port`
    );
  }
  if (NO_WAY.includes(code)) {
    return again(`no network leads to ${place}: is a VPN or a proxy needed`);
  }
  if (CUT.includes(code)) {
    return again(
      isTls ? `${place} ends the connection before TLS is agreed on: is it a port of HTTPS` : `${place} ends the connection without a response: if it is a port of HTTPS, write https:// in place of http://`
    );
  }
  if (SILENT.includes(code)) {
    return again(
      `${place} does not respond in time: is it ${server} that listens there, and does a firewall let this machine through`
    );
  }
  return again(`${place} cannot be asked${code === "" ? "" : ` (${code})`}: is the address right`);
}
var final = (why) => ({ why, isFinal: true });
var again = (why) => ({ why, isFinal: false });
function codeOf(error) {
  if (typeof error !== "object" || error === null) return "";
  const { cause, code, errors, message, name } = error;
  if (typeof cause === "object" && cause !== null) return codeOf(cause);
  if (message === "bad port") return "no client takes this port";
  if (typeof code === "string") return code;
  if (name === "HTTPParserError") return "HPE_";
  if (Array.isArray(errors)) return codeOf(errors[0]);
  return name === "TimeoutError" || name === "AbortError" ? name : "";
}
var hostOf = (url) => URL.canParse(url) ? new URL(url).hostname : url;
function placeOf(url) {
  if (!URL.canParse(url)) return url;
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === "" ? protocol === "https:" ? "443" : "80" : port}`;
}

// cli/src/ui/within.ts
async function within(milliseconds, signal, work) {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException("it took too long", "TimeoutError"));
  }, milliseconds);
  const follow = () => {
    controller.abort(signal.reason);
  };
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", follow);
  }
}

// cli/src/targets/url/api.ts
var ApiRefusal = class extends Mistake {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
  status;
};
var N8nApi = class {
  constructor(baseUrl, key, signal = new AbortController().signal) {
    this.baseUrl = baseUrl;
    this.key = key;
    this.signal = signal;
  }
  baseUrl;
  key;
  signal;
  /** Id of the newest execution that the key may see; 0 without one. */
  async newestExecution() {
    const { data } = await this.ask(
      "GET",
      "/executions?limit=1"
    );
    return Number(data[0]?.id ?? 0);
  }
  async ask(method, path, { body, withinMs = 3e4 } = {}) {
    const url = `${this.baseUrl}/api/v1${path}`;
    const { reply, text } = await within(withinMs, this.signal, async (signal) => {
      const response = await fetch(url, {
        method,
        headers: { "x-n8n-api-key": this.key, "content-type": "application/json" },
        ...body === void 0 ? {} : { body: JSON.stringify(body) },
        signal
      });
      return { reply: response, text: await response.text() };
    }).catch((error) => {
      throw new Failure(
        `the API of n8n at ${this.baseUrl} did not respond to ${method} ${path}: ${whyIn(error, this)}`
      );
    });
    if (!reply.ok) {
      const { status } = reply;
      const words = wordsIn(text);
      throw new ApiRefusal(
        `the API of n8n at ${this.baseUrl} refused ${method} ${path} with status ${String(status)}: ${words === "" ? "it is a page, and no words of n8n" : words}${adviceOn(status)}`,
        status
      );
    }
    try {
      return JSON.parse(text);
    } catch {
      throw new Mistake(
        `the API of n8n at ${this.baseUrl} answered ${method} ${path} with ${/^\s*</.test(text) ? "a page" : "a text"} in place of JSON: is a login in front of it, is the API switched off (N8N_PUBLIC_API_DISABLED), or is the address not that of n8n?`
      );
    }
  }
};
function whyIn(error, { baseUrl }) {
  const isOurs = error instanceof Failure || error instanceof Interrupted;
  return isOurs ? messageOf(error) : unreachable(error, baseUrl).why;
}
function adviceOn(status) {
  if (status === 401) return "; set N8N_API_KEY to a key of this n8n that is valid";
  if (status === 403) return "; the key in N8N_API_KEY lacks a scope for it";
  return "";
}

// cli/src/targets/url/pages.ts
var MOST = 1e4;
async function* rowsOf(api, path, { size, most, withinMs }) {
  const seen = /* @__PURE__ */ new Set();
  let cursor = "";
  for (let page = 0; page < (most ?? MOST); page += 1) {
    const query = `${path.includes("?") ? "&" : "?"}limit=${String(size)}${cursor}`;
    const reply = await api.ask(
      "GET",
      `${path}${query}`,
      withinMs === void 0 ? {} : { withinMs: withinMs() }
    );
    if (!Array.isArray(reply?.data)) throw new Failure(`the API of n8n has no list at ${path}`);
    yield* reply.data;
    const next = reply.nextCursor;
    if (typeof next !== "string" || next === "" || seen.has(next)) return;
    seen.add(next);
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
  if (most === void 0) {
    throw new Failure(`the API of n8n has more than ${String(MOST)} pages at ${path}`);
  }
}

// cli/src/features/recover/n8n.ts
var STATUSES = ["crashed", "error", "running", "new", "waiting", "canceled"];
var PAGE = 250;
var RecoveryApi = class {
  constructor(api) {
    this.api = api;
  }
  api;
  async workflowsTagged(tag) {
    const found = [];
    const path = `/workflows?excludePinnedData=true&tags=${encodeURIComponent(tag)}`;
    for await (const row of rowsOf(this.api, path, { size: PAGE })) {
      const settings = within2(row, "settings");
      found.push({
        id: idIn(row, "id"),
        name: textIn(row, "name") ?? idIn(row, "id"),
        savesFailures: isSaved(textIn(settings, "saveDataErrorExecution")),
        savesSuccesses: isSaved(textIn(settings, "saveDataSuccessExecution"))
      });
    }
    return found;
  }
  /** Those of a workflow that are not older; no successes. */
  async executionsOf(workflowId, { sinceMs, sinceId }) {
    const found = [];
    for (const status of STATUSES) {
      const path = `/executions?workflowId=${encodeURIComponent(workflowId)}&status=${status}`;
      for await (const row of rowsOf(this.api, path, { size: PAGE })) {
        const execution = executionIn(row);
        const { id, startedAtMs } = execution;
        if (sinceId !== void 0 && Number(id) < Number(sinceId)) break;
        if (startedAtMs !== null && startedAtMs < sinceMs) break;
        found.push(execution);
      }
    }
    return [...new Map(found.map((execution) => [execution.id, execution])).values()];
  }
  async stored(executionId) {
    const path = `/executions/${executionId}?includeData=true&ignoreDataSizeLimit=true`;
    const reply = await this.api.ask("GET", path).catch((error) => {
      if (messageOf(error).includes(" with status 404:")) return null;
      throw error;
    });
    const data = within2(reply, "data");
    if (data === null) return "no data";
    const stack = within2(data, "executionData")?.["nodeExecutionStack"];
    const result = within2(data, "resultData");
    return {
      next: (Array.isArray(stack) ? stack : []).map(
        (entry) => textIn(within2(entry, "node"), "name") ?? "?"
      ),
      waits: Object.keys(within2(within2(data, "executionData"), "waitingExecution") ?? {}),
      ran: Object.keys(within2(result, "runData") ?? {}),
      error: textIn(within2(result, "error"), "message"),
      failedNode: failedNodeIn(result),
      runnerId: textIn(within2(result, "error"), "runnerId")
    };
  }
  /** n8n answers when the retry has ended. */
  async retry(executionId, withinMs) {
    const path = `/executions/${executionId}/retry`;
    const reply = await this.api.ask("POST", path, { body: {}, withinMs });
    return { id: idIn(reply, "id"), status: textIn(reply, "status") ?? "unknown" };
  }
};
var objectIn = (value) => typeof value === "object" && value !== null ? value : null;
var within2 = (value, name) => objectIn(objectIn(value)?.[name]);
function textIn(value, name) {
  const found = objectIn(value)?.[name];
  return typeof found === "string" ? found : null;
}
function idOrNull(value, name) {
  const found = objectIn(value)?.[name];
  return typeof found === "string" || typeof found === "number" ? String(found) : null;
}
function idIn(value, name) {
  const id = idOrNull(value, name);
  if (id === null) throw new Failure(`the API of n8n has left out the ${name} of something`);
  return id;
}
function timeIn(value, name) {
  const ms2 = Date.parse(textIn(value, name) ?? "");
  return Number.isNaN(ms2) ? null : ms2;
}
function failedNodeIn(result) {
  const error = within2(result, "error");
  if (error === null) return null;
  const named = textIn(within2(error, "node"), "name");
  if (named !== null) return named;
  const message = textIn(error, "message");
  const failed = Object.entries(within2(result, "runData") ?? {}).find(([, runs]) => {
    const own = within2(Array.isArray(runs) ? runs.at(-1) : null, "error");
    return own !== null && textIn(own, "message") === message;
  });
  return failed?.[0] ?? null;
}
function executionIn(row) {
  const status = textIn(row, "status");
  return {
    id: idIn(row, "id"),
    workflowId: idIn(row, "workflowId"),
    status: KNOWN.has(status ?? "") ? status : "unknown",
    mode: textIn(row, "mode") ?? "",
    retryOf: idOrNull(row, "retryOf"),
    retrySuccessId: idOrNull(row, "retrySuccessId"),
    startedAtMs: timeIn(row, "startedAt"),
    stoppedAtMs: timeIn(row, "stoppedAt")
  };
}
var KNOWN = /* @__PURE__ */ new Set([...STATUSES, "success"]);
var isSaved = (setting) => setting === "all" ? true : setting === "none" ? false : null;

// cli/src/analysis/n8n-execution.ts
var STALLED = "This execution failed to be processed too many times and will no longer retry. To allow this execution to complete, please break down your workflow or scale up your workers or adjust your worker settings.";
var OF_CRASHES = /* @__PURE__ */ new Set([
  STALLED,
  // Bull's own words, which n8n passes on where it was not told that the job stalled, but looked and found it so.
  "job stalled more than allowable limit",
  // WorkflowCrashedError, from its log of events.
  "Workflow did not finish, possible out-of-memory issue"
]);
var OF_DATABASE = /* @__PURE__ */ new Set([
  "Driver not Connected",
  "Cannot use a pool after calling end on the pool",
  "Connection terminated",
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
  "terminating connection due to administrator command",
  "the database system is shutting down",
  "the database system is starting up",
  "the database system is in recovery mode",
  "the database system is not accepting connections",
  "the database system is not yet accepting connections",
  "sorry, too many clients already",
  // PostgreSQL up to 15, and later ones.
  "remaining connection slots are reserved for non-replication superuser connections",
  "remaining connection slots are reserved for roles with the SUPERUSER attribute",
  'remaining connection slots are reserved for roles with privileges of the "pg_use_reserved_connections" role'
]);
var TOO_MANY_CONNECTIONS = /^too many connections for (role|database) ".+"$/;
var DATABASE_NOT_BACK = /^Timed out after \d+ms waiting for database connection recovery$/;
var RUNNER_DIED = "Node execution failed";
var hasRunnerDied = (stored) => stored !== "no data" && stored.runnerId !== null && stored.error === RUNNER_DIED;
var isCrash = (stored) => hasRunnerDied(stored) || stored !== "no data" && stored.failedNode === null && stored.error !== null && (OF_CRASHES.has(stored.error) || OF_DATABASE.has(stored.error) || TOO_MANY_CONNECTIONS.test(stored.error) || DATABASE_NOT_BACK.test(stored.error));
var ranToItsEnd = (stored) => stored !== "no data" && stored.next.length === 0 && stored.waits.length === 0 && stored.ran.length > 0;
var GONE = /* @__PURE__ */ new Set(["File not found", "Binary data file not found"]);
var isBinaryGone = (error) => error !== null && GONE.has(error);

// cli/src/features/recover/analysis/decide.ts
function decide(view, rules) {
  const { executions } = view;
  const known = new Set(executions.map(({ id }) => id));
  const byOriginal = /* @__PURE__ */ new Map();
  for (const execution of executions) {
    if (execution.retryOf === null) continue;
    byOriginal.set(execution.retryOf, [...byOriginal.get(execution.retryOf) ?? [], execution]);
  }
  const roots = executions.filter(({ retryOf }) => retryOf === null || !known.has(retryOf));
  return roots.toSorted((a, b) => byAge(a, b)).map((root) => decideOne(root, retriesOf(root, byOriginal), view, rules));
}
var isQueueNeeded = (executions, nowMs, rules) => executions.some((execution) => mayHaveLostItsJob(execution, nowMs, rules));
var mayHaveLostItsJob = (execution, nowMs, { minAgeMs }) => OPEN.has(execution.status) && HAS_A_JOB.has(execution.mode) && ageMs(execution, nowMs) >= minAgeMs;
function retriesOf(root, byOriginal) {
  const found = [];
  const seen = /* @__PURE__ */ new Set([root.id]);
  const open = [root];
  for (let next = open.pop(); next !== void 0; next = open.pop()) {
    for (const retry of byOriginal.get(next.id) ?? []) {
      if (seen.has(retry.id)) continue;
      seen.add(retry.id);
      found.push(retry);
      open.push(retry);
    }
  }
  return found;
}
function decideOne(execution, retries, view, rules) {
  const leave = (reason, isFinal = false) => ({
    ...{ kind: "leave", execution, reason, isFinal }
  });
  const { nowMs, stored: looked, queued } = view;
  const stored = looked.get(execution.id);
  const { status, retrySuccessId } = execution;
  if ((status === "error" || status === "crashed") && retrySuccessId !== null) {
    if (stored === void 0) return { kind: "look", execution };
    if (isEmptied(stored))
      return leave(`${EMPTIED}; its retry ${retrySuccessId} ran nothing`, true);
  }
  const all = [execution, ...retries];
  if (all.some((one) => one.status === "success" || one.retrySuccessId !== null)) {
    return { kind: "fine", execution, why: "recovered" };
  }
  if (status === "canceled") return { kind: "fine", execution, why: "failed" };
  if (status === "waiting") return { kind: "waiting", execution };
  const isOpen = OPEN.has(status);
  if (status === "error") {
    if (stored === void 0) return { kind: "look", execution };
    if (!isCrash(stored)) return { kind: "fine", execution, why: "failed" };
  }
  if (isOpen) {
    if (queued?.has(execution.id) === true || !mayHaveLostItsJob(execution, nowMs, rules)) {
      return { kind: "fine", execution, why: "at work" };
    }
    if (queued === null) {
      return leave("it has not ended, and without --redis it is not known whether it has a job");
    }
  }
  if (stored !== void 0 && ranToItsEnd(stored)) return { kind: "fine", execution, why: "done" };
  if (execution.mode === "integrated" && stored !== void 0 && hasRunnerDied(stored)) {
    return leave(SUB_EXECUTION_FAILED, true);
  }
  const notOurs = NOT_OURS[execution.mode];
  if (notOurs !== void 0) return leave(notOurs, true);
  if (status === "new") {
    return leave("n8n refuses to retry what has not begun, until its own check marks it crashed");
  }
  if (ageMs(execution, nowMs) < rules.minAgeMs) return leave("it is younger than --age");
  for (const retry of retries) {
    const goesOn = goesOnWith(retry, view, rules);
    if (goesOn !== null) return leave(`its retry ${retry.id} ${goesOn}`);
  }
  for (const retry of retries.filter((one) => one.status === "error")) {
    const of = looked.get(retry.id);
    if (of === void 0) return { kind: "look", execution: retry };
    if (of === "no data") {
      return leave(`its retry ${retry.id} failed, and n8n has no data to tell why`, true);
    }
    if (isBinaryGone(of.error)) return leave(`its retry ${retry.id} ${FOUND_NO_BINARY}`, true);
    if (!isCrash(of)) return leave(`its retry ${retry.id} ran and failed by itself`, true);
    if (ranToItsEnd(of)) return { kind: "fine", execution, why: "recovered" };
  }
  if (retries.some((one) => one.status === "canceled")) {
    return leave("its retry was stopped by hand", true);
  }
  if (retries.length >= rules.maxAttempts) {
    return leave(`it was lost again in each of ${String(retries.length)} attempts`, true);
  }
  const lastMs = Math.max(0, ...retries.map((retry) => endedAtMs(retry) ?? 0));
  const waitMs = retries.length === 0 ? 0 : rules.backOffMs * 2 ** (retries.length - 1);
  if (nowMs - lastMs < waitMs) return leave("its last attempt was lost a short time ago");
  if (stored === void 0) return { kind: "look", execution };
  if (stored === "no data") return leave("n8n has no data of it: deleted, or not saved", true);
  if (stored.waits.length > 0 && stored.next.length === 0) return leave(ONLY_WAITS, true);
  if (stored.next.length === 0) return leave(`${EMPTIED}; a retry would run nothing`, true);
  return {
    ...{ kind: "retry", execution, attempt: retries.length + 1, next: stored.next },
    isByQueue: isOpen || retries.some((retry) => OPEN.has(retry.status))
  };
}
function goesOnWith(retry, { nowMs, queued }, rules) {
  if (retry.status === "waiting") return "is waiting, and n8n resumes it";
  if (retry.status === "new") return "has not begun";
  if (retry.status !== "running") return null;
  const isDead = queued !== null && !queued.has(retry.id) && mayHaveLostItsJob(retry, nowMs, rules);
  return isDead ? null : "has not ended";
}
var EMPTIED = "n8n has written an empty run over its data, as it does without keep-stalled";
var ONLY_WAITS = "a node has received only a part of its input, and n8n begins no retry with it: a retry would run nothing";
var FOUND_NO_BINARY = "did not find a file, as where binary data is gone with its pod";
var isEmptied = (stored) => stored !== "no data" && isCrash(stored) && stored.next.length === 0 && stored.ran.length === 0;
var OPEN = /* @__PURE__ */ new Set(["new", "running"]);
var HAS_A_JOB = /* @__PURE__ */ new Set(["webhook", "trigger", "retry", "error", "chat", "evaluation", "agent"]);
var SUB_EXECUTION_FAILED = "it is a sub-execution whose task runner died: the one that called it has failed, and is not retried";
var NOT_OURS = {
  integrated: "it is a sub-execution: it is left to a retry of the one that called it",
  manual: "somebody ran it manually in the editor",
  evaluation: "it is part of an evaluation",
  chat: "somebody ran it in a chat",
  cli: "somebody ran it on the command line",
  internal: "n8n ran it for its own use"
};
var endedAtMs = ({ stoppedAtMs, startedAtMs }) => stoppedAtMs ?? startedAtMs;
var ageMs = (execution, nowMs) => nowMs - (endedAtMs(execution) ?? 0);
var byAge = (a, b) => (a.startedAtMs ?? 0) - (b.startedAtMs ?? 0) || Number(a.id) - Number(b.id);

// cli/src/features/recover/saves.ts
var NOTHING_KNOWN = {
  ...{ failures: null, successes: null, progress: null, stalled: null }
};
var savesIn = (env2) => ({
  failures: oneOf(env2["EXECUTIONS_DATA_SAVE_ON_ERROR"], "all", "none"),
  successes: oneOf(env2["EXECUTIONS_DATA_SAVE_ON_SUCCESS"], "all", "none"),
  progress: oneOf(env2["EXECUTIONS_DATA_SAVE_ON_PROGRESS"], "true", "false"),
  stalled: oneOf(env2["RECOVERY_KEEPS_STALLED"], "true", "false")
});
function oneOf(value, yes, no) {
  return value === yes ? true : value === no ? false : null;
}
function saidAtStart(saves, hasQueue) {
  return [
    ...saves.failures === false ? [
      "n8n saves no failed executions (EXECUTIONS_DATA_SAVE_ON_ERROR is none): recovery is impossible, except for workflows whose own settings save them"
    ] : [],
    ...!hasQueue && saves.successes === false ? [
      "n8n saves no successful executions (EXECUTIONS_DATA_SAVE_ON_SUCCESS is none) and has no queue: recovery is impossible, except for workflows whose own settings save them"
    ] : [],
    ...hasQueue && saves.stalled === false ? [
      "n8n runs without keep-stalled: what it has written over when a worker died cannot be recovered"
    ] : [],
    ...saves.progress === null ? [] : [
      saves.progress ? "n8n saves progress: a retry begins with the node that was running" : "n8n does not save progress: a retry begins at the trigger, and runs every node again"
    ],
    ...saves.failures === null || !hasQueue && saves.successes === null ? ["what n8n saves by its own settings is not known here: only those of workflows are"] : []
  ];
}
function refusalOf({ savesFailures, savesSuccesses }, saves, hasQueue) {
  if ((savesFailures ?? saves.failures) === false) {
    const whose = savesFailures === false ? "its settings save" : "n8n saves";
    return `${whose} no failed executions, so that n8n deletes what is lost of it, or a retry that failed`;
  }
  if (!hasQueue && (savesSuccesses ?? saves.successes) !== true) {
    return "without --redis its successful executions must be saved, by its settings (saveDataSuccessExecution: all) or as n8n is known to have it (EXECUTIONS_DATA_SAVE_ON_SUCCESS): in regular mode n8n otherwise forgets that a retry has succeeded";
  }
  return null;
}

// cli/src/features/recover/pass.ts
var OUTCOMES = [
  /** Ran to its end. */
  "recovered",
  /** Ran, and failed by itself. */
  "failed",
  /** Its worker died too. */
  "lost again",
  /** n8n has not answered: the next pass sees what became of it. */
  "not known",
  /** What the look right before it said: somebody else has seen to it, or it is no longer to be retried. */
  "no longer due",
  "refused"
];
var SETTLE_MS = 1e4;
var BrokenPass = class extends Error {
  constructor(report, cause) {
    super(messageOf(cause), { cause });
    this.report = report;
  }
  report;
};
async function pass(hands, order, tell2, signal) {
  const report = {
    ...{ due: [], attempts: [], left: [], waiting: [], refused: [], stopped: null }
  };
  const due = [];
  for (const workflow of order.workflows) {
    const reason = refusalOf(workflow, order.saves, hands.queued !== null);
    if (reason !== null) {
      report.refused.push({ workflow: workflow.name, reason });
      tell2(`workflow ${workflow.name}: not retried: ${reason}`);
      continue;
    }
    const waiting = [];
    for (const decision of await decisionsOf(hands, workflow.id, order, {
      sinceMs: order.sinceMs
    })) {
      const { id: executionId } = decision.execution;
      if (decision.kind === "retry") due.push({ workflow, decision, seenAtMs: hands.nowMs() });
      if (decision.kind === "waiting") waiting.push(executionId);
      if (decision.kind === "fine" && decision.why === "done") {
        tell2(`${nameOf({ executionId, workflow: workflow.name })}: not lost: ${DONE}`);
      }
      if (decision.kind !== "leave") continue;
      const { isFinal } = decision;
      report.left.push({ executionId, workflow: workflow.name, reason: decision.reason, isFinal });
      tell2(`${nameOf({ executionId, workflow: workflow.name })}: left alone: ${decision.reason}`);
    }
    report.waiting.push(
      ...waiting.map((executionId) => ({ executionId, workflow: workflow.name }))
    );
    tellWaiting(workflow.name, waiting, tell2);
  }
  due.sort(
    (a, b) => (a.decision.execution.startedAtMs ?? 0) - (b.decision.execution.startedAtMs ?? 0)
  );
  report.due = due.map(({ workflow, decision }) => ({
    ...{ executionId: decision.execution.id, workflow: workflow.name },
    ...{ attempt: decision.attempt, from: decision.next }
  }));
  if (!order.retries) {
    for (const { executionId, workflow, attempt, from } of report.due) {
      tell2(
        `execution ${executionId} of ${workflow}: would be retried from ${from.join(", ")} (attempt ${String(attempt)})`
      );
    }
    return report;
  }
  let lostInARow = 0;
  const problems = [];
  const hasStopped = () => {
    if (signal.aborted) report.stopped ??= messageOf(signal.reason);
    return report.stopped !== null;
  };
  const worker = async () => {
    while (!hasStopped()) {
      const next = due.shift();
      if (next === void 0) return;
      const attempt = await attemptOf(hands, next, order, tell2, hasStopped).catch(
        (cause) => {
          if (!hasStopped()) {
            problems.push(cause);
            report.stopped = messageOf(cause);
          }
          return null;
        }
      );
      if (attempt === null) {
        due.unshift(next);
        return;
      }
      report.attempts.push(attempt);
      tell2(
        `${nameOf(attempt)}: attempt ${String(attempt.attempt)} from ${attempt.from.join(", ")}: ${attempt.outcome}${attempt.text === "" ? "" : `: ${attempt.text}`}`
      );
      if (hasStopped()) return;
      if (attempt.outcome === "recovered") lostInARow = 0;
      if (attempt.outcome === "lost again" || attempt.outcome === "not known") lostInARow += 1;
      if (lostInARow >= order.stopAfterLost) {
        report.stopped ??= `${String(lostInARow)} retries in a row were lost: what they do may be what kills the workers`;
      }
    }
  };
  await Promise.all(Array.from({ length: order.atOnce }, worker));
  for (const { workflow, decision } of due) {
    tell2(
      `${nameOf({ executionId: decision.execution.id, workflow: workflow.name })}: left for the next pass: this one has stopped`
    );
  }
  if (report.stopped !== null) tell2(`stopped: ${report.stopped}`);
  if (problems.length > 0) throw new BrokenPass(report, problems[0]);
  return report;
}
var DONE = "it ran to its end, and n8n could not store that it succeeded";
var nameOf = ({ executionId, workflow }) => `execution ${executionId} of ${workflow}`;
var NAMED = 20;
function tellWaiting(workflow, ids, tell2) {
  for (const id of ids.slice(0, NAMED)) {
    tell2(`execution ${id} of ${workflow}: left alone: it is waiting, and n8n resumes it`);
  }
  if (ids.length > NAMED) {
    tell2(`workflow ${workflow}: ${String(ids.length - NAMED)} more executions are waiting`);
  }
}
async function decisionsOf(hands, workflowId, { rules }, since) {
  let executions = await hands.executionsOf(workflowId, since);
  const nowMs = hands.nowMs();
  let queued = hands.queued === null ? null : /* @__PURE__ */ new Set();
  if (hands.queued !== null && isQueueNeeded(executions, nowMs, rules)) {
    queued = await hands.queued();
    executions = await hands.executionsOf(workflowId, since);
  }
  const stored = /* @__PURE__ */ new Map();
  for (; ; ) {
    const decisions = decide({ nowMs, executions, stored, queued }, rules);
    const toLook = decisions.filter(({ kind }) => kind === "look");
    if (toLook.length === 0) return decisions;
    for (const { execution } of toLook) {
      stored.set(execution.id, await hands.stored(execution.id));
    }
  }
}
async function attemptOf(hands, { workflow, decision: { execution, attempt, next, isByQueue }, seenAtMs }, order, tell2, hasStopped) {
  const of = (outcome, text = "", retryId = null) => ({
    ...{ executionId: execution.id, workflow: workflow.name, attempt, from: next },
    ...{ outcome, retryId, text }
  });
  const settlesInMs = seenAtMs + SETTLE_MS - hands.nowMs();
  if (isByQueue && settlesInMs > 0) await hands.wait(settlesInMs);
  if (hasStopped()) return null;
  const again2 = await decisionsOf(hands, workflow.id, order, { sinceMs: 0, sinceId: execution.id });
  const now = again2.find((decision) => decision.execution.id === execution.id);
  if (now?.kind !== "retry" || now.attempt !== attempt) {
    return of("no longer due", now?.kind === "leave" ? now.reason : "");
  }
  if (hasStopped()) return null;
  tell2(
    `${nameOf({ executionId: execution.id, workflow: workflow.name })}: attempt ${String(attempt)} from ${next.join(", ")} begins`
  );
  let retried;
  try {
    retried = await hands.retry(execution.id);
  } catch (error2) {
    const text = messageOf(error2);
    return / status 4\d\d/.test(text) ? of("refused", text) : of("not known", text);
  }
  const { id, status } = retried;
  if (status === "success") return of("recovered", `by execution ${id}`, id);
  if (status === "waiting" || status === "running") return of("not known", `it is ${status}`, id);
  const stored = await hands.stored(id).catch(() => "no data");
  const error = stored === "no data" ? null : stored.error;
  if (status === "crashed" || isCrash(stored)) {
    return ranToItsEnd(stored) ? of("recovered", `by execution ${id}`, id) : of("lost again", error ?? "", id);
  }
  if (error === null) return of("not known", `it is ${status}`, id);
  return of("failed", isBinaryGone(error) ? `${error}: it ${FOUND_NO_BINARY}` : error, id);
}
var isAnythingLost = (report) => stillLost(report) > 0 || report.refused.length > 0;
var stillLost = ({ due, attempts, left }) => due.length - attempts.filter(isSettled).length + left.length;
var isSettled = ({ outcome }) => outcome === "recovered" || outcome === "failed";
function countsOf(attempts) {
  const count = (outcome) => attempts.filter((attempt) => attempt.outcome === outcome).length;
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)]));
}
function summaryOf({ due, attempts, left, waiting }, isRetry) {
  const counts = countsOf(attempts);
  const others = OUTCOMES.filter((outcome) => outcome !== "recovered" && counts[outcome] > 0).map(
    (outcome) => `, ${String(counts[outcome])} ${outcome}`
  );
  const done = isRetry ? `${String(counts.recovered)} recovered${others.join("")}` : "nothing was retried";
  const waits = waiting.length === 0 ? "" : `, ${String(waiting.length)} waiting`;
  return `${String(due.length)} lost and due for a retry, ${String(left.length)} left alone${waits}; ${done}`;
}

// cli/src/features/recover/once.ts
async function recoverOnce(order, openQueue2, tell2, signal) {
  const api = new RecoveryApi(new N8nApi(order.url, order.apiKey, signal));
  const leading = new AbortController();
  const onLost = () => {
    leading.abort(new Failure("another recovery took over, or Redis could not be asked"));
  };
  const queue = openQueue2 === null ? null : await openQueue2(onLost);
  try {
    if (order.retries && queue !== null && !await queue.lead()) return null;
    for (const text of saidAtStart(order.saves, queue !== null)) tell2(text);
    const ending = AbortSignal.any([signal, leading.signal]);
    const workflows = await api.workflowsTagged(order.tag);
    if (workflows.length === 0) {
      tell2(`no workflow that this key may see has the tag '${order.tag}': nothing may be retried`);
    }
    const count = async (report2) => {
      if (!order.retries) return;
      await queue?.count(report2, Date.now()).catch((error) => {
        tell2(`the counts of this pass are not kept for the exporter: ${messageOf(error)}`);
      });
    };
    const report = await pass(
      {
        nowMs: () => Date.now(),
        executionsOf: api.executionsOf.bind(api),
        stored: api.stored.bind(api),
        retry: (id) => api.retry(id, order.patienceMs),
        queued: queue === null ? null : () => queue.queued(),
        wait: (ms2) => (0, import_promises.setTimeout)(ms2, void 0, { signal: ending }).catch(() => void 0)
      },
      { ...order, workflows, sinceMs: Date.now() - order.withinMs },
      tell2,
      ending
    ).catch(async (error) => {
      if (!(error instanceof BrokenPass)) throw error;
      await count(error.report);
      throw error.cause;
    });
    await count(report);
    return report;
  } finally {
    await queue?.end();
  }
}

// cli/src/features/recover/queue.ts
var import_node_crypto = require("node:crypto");
var LEASE_MS = 3e4;
var BATCH = 500;
var SCANNED = 1e3;
var RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
var RENEW = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0";
var LAZY = {
  ...{ lazyConnect: true, maxRetriesPerRequest: 0, commandTimeout: LEASE_MS / 3 },
  retryStrategy: () => null
};
async function openQueue(redis, prefix, onLost, leaseMs = LEASE_MS) {
  let why = null;
  redis.on("error", (error) => {
    why = error;
  });
  try {
    await redis.connect();
    if ((await queuesOf(redis, prefix)).length === 0) {
      throw new Failure(
        `that Redis has no queue of n8n at ${prefix}: it is another one, its prefix (--prefix, QUEUE_BULL_PREFIX) is another one, or n8n has not queued anything yet.`
      );
    }
  } catch (error) {
    redis.disconnect();
    if (error instanceof Failure) throw error;
    const { host = "", port = "" } = redis.options;
    const place = `${host}:${String(port)}`;
    const cause = why ?? error;
    const reason = isOfNetwork(cause) ? `${unreachable(cause, `redis://${place}`, "Redis").why}?` : `${messageOf(cause).replace(/\.$/, "")}.`;
    throw new Failure(`Redis at ${place} could not be asked: ${reason}`);
  }
  const leader = `n8n-tuned:{${prefix}}:recover`;
  const own = (0, import_node_crypto.randomUUID)();
  let renewing;
  const known = /* @__PURE__ */ new Map();
  return {
    queued: async () => {
      const queues = await queuesOf(redis, prefix);
      const found = await Promise.all(
        queues.map(async (queue) => {
          const look = await lookAt(redis, queue, known.get(queue) ?? NOTHING_READ);
          known.set(queue, look);
          return [...look.executions.values()].filter((id) => id !== void 0);
        })
      );
      return new Set(found.flat());
    },
    lead: async () => {
      if (await redis.set(leader, own, "PX", leaseMs, "NX") !== "OK") return false;
      renewing = setInterval(() => {
        redis.eval(RENEW, 1, leader, own, leaseMs).then(
          (kept) => {
            if (kept !== 1) onLost();
          },
          () => {
            onLost();
          }
        );
      }, leaseMs / 3);
      return true;
    },
    count: async (report, endedAtMs2) => {
      const key = `n8n-tuned:{${prefix}}:recovery`;
      const adding = redis.multi().hincrby(key, "passes", 1);
      for (const [outcome, many] of Object.entries(countsOf(report.attempts))) {
        adding.hincrby(key, `attempts:${outcome.replaceAll(" ", "_")}`, many);
      }
      adding.hset(key, { left: stillLost(report), endedAtMs: endedAtMs2 });
      await adding.exec();
    },
    end: async () => {
      if (renewing !== void 0) {
        clearInterval(renewing);
        await redis.eval(RELEASE, 1, leader, own).catch(() => void 0);
      }
      redis.disconnect();
    }
  };
}
async function queuesOf(redis, prefix) {
  const pattern = `${prefix.replace(/[\\[\]*?]/g, "\\$&")}:*:id`;
  const found = /* @__PURE__ */ new Set();
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, "MATCH", pattern, "COUNT", SCANNED);
    for (const key of keys) found.add(key.slice(0, -":id".length));
    cursor = next;
  } while (cursor !== "0");
  return [...found];
}
var NOTHING_READ = { newest: 0, executions: /* @__PURE__ */ new Map() };
async function lookAt(redis, queue, before) {
  const key = (name) => `${queue}:${name}`;
  const replies = await redis.multi().get(key("id")).lrange(key("wait"), 0, -1).lrange(key("paused"), 0, -1).lrange(key("active"), 0, -1).zrange(key("delayed"), 0, -1).exec() ?? [];
  for (const [error] of replies) if (error !== null) throw error;
  const [count, ...lists] = replies.map(([, value]) => value);
  const newest = Number(count ?? 0);
  const read = newest < before.newest ? NOTHING_READ.executions : before.executions;
  const executions = /* @__PURE__ */ new Map();
  const unread = [];
  for (const job of new Set(lists.flat())) {
    if (read.has(job)) executions.set(job, read.get(job));
    else unread.push(job);
  }
  for (let at = 0; at < unread.length; at += BATCH) {
    await Promise.all(
      unread.slice(at, at + BATCH).map(async (job) => {
        const text = await redis.hget(key(job), "data");
        if (text !== null) executions.set(job, executionIn2(text));
      })
    );
  }
  return { newest, executions };
}
function executionIn2(text) {
  try {
    const { executionId } = JSON.parse(text);
    return typeof executionId === "string" ? executionId : void 0;
  } catch {
    return void 0;
  }
}

// cli/src/features/recover/in-cluster.ts
var { env } = process;
var tell = (text) => void process.stdout.write(`${(/* @__PURE__ */ new Date()).toISOString()} ${text}
`);
function given(name) {
  const value = env[name];
  if (value === void 0 || value === "") throw new Failure(`${name} is not set`);
  return value;
}
var ms = (name) => 1e3 * Number(given(name));
function redisOptions() {
  const isTls = env["QUEUE_BULL_REDIS_TLS"] === "true";
  const servername = env["QUEUE_BULL_REDIS_TLS_SERVERNAME"];
  return {
    ...LAZY,
    host: given("QUEUE_BULL_REDIS_HOST"),
    port: Number(env["QUEUE_BULL_REDIS_PORT"] ?? 6379),
    db: Number(env["QUEUE_BULL_REDIS_DB"] ?? 0),
    ...optional("username", env["QUEUE_BULL_REDIS_USERNAME"]),
    ...optional("password", env["QUEUE_BULL_REDIS_PASSWORD"]),
    ...isTls ? { tls: optional("servername", servername) } : {},
    ...env["QUEUE_BULL_REDIS_DUALSTACK"] === "true" ? { family: 0 } : {}
  };
}
var optional = (name, value) => value === void 0 || value === "" ? {} : { [name]: value };
var n8nRedis = () => moduleOfN8n("ioredis").Redis;
async function main() {
  const stopping = new AbortController();
  process.once("SIGTERM", () => {
    stopping.abort(new Failure("stopped by SIGTERM"));
  });
  if (env["RECOVERY_PASS_SECONDS"] !== void 0) {
    setTimeout(() => {
      stopping.abort(new Failure("its time is over; the next pass goes on"));
    }, ms("RECOVERY_PASS_SECONDS")).unref();
  }
  const isQueue = env["EXECUTIONS_MODE"] === "queue";
  const prefix = env["QUEUE_BULL_PREFIX"] ?? "bull";
  const retries = given("RECOVERY_RETRY") === "true";
  const report = await recoverOnce(
    {
      ...{
        url: given("N8N_URL"),
        apiKey: given("N8N_API_KEY"),
        tag: given("RECOVERY_TAG"),
        retries
      },
      rules: {
        maxAttempts: Number(given("RECOVERY_ATTEMPTS")),
        minAgeMs: ms("RECOVERY_AGE_SECONDS"),
        backOffMs: ms("RECOVERY_BACK_OFF_SECONDS")
      },
      saves: savesIn(env),
      withinMs: 3600 * ms("RECOVERY_SINCE_HOURS"),
      patienceMs: ms("RECOVERY_PATIENCE_SECONDS"),
      atOnce: Number(given("RECOVERY_AT_ONCE")),
      stopAfterLost: Number(given("RECOVERY_STOP_AFTER"))
    },
    isQueue ? (onLost) => openQueue(new (n8nRedis())(redisOptions()), prefix, onLost) : null,
    tell,
    stopping.signal
  );
  if (report === null) {
    tell("another recovery is running on this n8n: nothing was done");
    return 0;
  }
  tell(summaryOf(report, retries));
  if (env["RECOVERY_REPORT"] === "json") process.stdout.write(`${JSON.stringify(report)}
`);
  return isAnythingLost(report) ? 1 : 0;
}
main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    tell(messageOf(error));
    process.exitCode = 3;
  }
);
