import exec5 from "k6/execution";

import { sleep } from "k6";
import exec2 from "k6/execution";

import exec from "k6/execution";
var LEAD_MS = 250;
function startClock({ leadMs = LEAD_MS, beginsAtMs = null } = {}) {
  let beganAtMs = beginsAtMs ?? exec.scenario.startTime + leadMs, zero = beganAtMs - epochOfTestRun();
  return { beganAtMs, now: () => exec.instance.currentTestRunDuration - zero };
}
function epochOfTestRun() {
  let epoch = -1 / 0, until = exec.instance.currentTestRunDuration + 3;
  for (let at = 0; at < until; )
    at = exec.instance.currentTestRunDuration, epoch = Math.max(epoch, Date.now() - at);
  return epoch;
}

import { check } from "k6";
import { Counter, Rate, Trend } from "k6/metrics";

var TIMED_OUT = [1050, 1211], RESET = [1201, 1220], NO_SOCKET = "no socket";
function errorKindOf({ status, errorCode, error, reused }) {
  return status > 0 && (errorCode === 0 || errorCode >= 1400 && errorCode < 1600) ? "" : errorCode === 1212 ? "refused" : TIMED_OUT.includes(errorCode) ? "timeout" : /too many open files|cannot assign requested address/i.test(error) ? NO_SOCKET : RESET.includes(errorCode) || /EOF|reset|broken pipe|closed/i.test(error) ? reused === !0 ? "reset on idle connection" : "reset" : errorCode >= 1100 && errorCode < 1200 ? "no such host" : errorCode >= 1300 && errorCode < 1400 ? "TLS" : "network";
}
var COUNTED_KINDS = [
  "refused",
  "reset",
  "reset on idle connection",
  "no socket",
  "timeout",
  "unanswered",
  "wrong reply",
  "wrong id",
  "login page",
  "editor page",
  "status 4xx",
  "status 5xx",
  "other"
];
function countedKind(kind) {
  let coarse = kind.replace(/^status ([45])\d\d$/, "status $1xx");
  return COUNTED_KINDS.find((known) => known === coarse) ?? "other";
}

var duration = new Trend("load_duration", !0), requests = new Counter("load_requests"), wrong = new Rate("load_wrong"), errors = new Counter("load_errors"), unansweredAge = new Trend("load_unanswered_age", !0), late = new Trend("load_late", !0), tooLate = new Rate("load_too_late"), notSent = new Counter("load_not_sent"), connections = new Counter("load_new_connections"), responses = new Counter("load_responses"), ranBy = new Counter("load_ran_by");
function count(counted) {
  let {
    workload,
    durationMs,
    late: lateness,
    errorKind,
    protocol,
    ranBy: process,
    connected
  } = counted, tags = { workload };
  requests.add(1, tags), lateness !== null && (late.add(lateness.ms, tags), tooLate.add(lateness.isTooLate, tags)), connected > 0 && connections.add(connected, tags), protocol !== "" && responses.add(1, { ...tags, proto: protocol }), wrong.add(errorKind !== "", tags), check(null, { "expected response": () => errorKind === "" }, tags), (errorKind === "" || errorKind === "timeout" || errorKind === "unanswered") && duration.add(durationMs, tags), errorKind !== "" && errors.add(1, { ...tags, kind: countedKind(errorKind) }), errorKind === "unanswered" && unansweredAge.add(durationMs, tags), process !== "" && ranBy.add(1, { ...tags, ran_by: process });
}
function countNotSent(workload) {
  notSent.add(1, { workload });
}

function print(line) {
  console.log(JSON.stringify(line));
}

var breakpoint = {
  title: "A steady ramp from zero to the rate: where does it break?",
  loop: "open",
  ratePerSecond: 100,
  durationSeconds: 300,
  warmupSeconds: 0,
  clients: 0,
  shape: [{ share: 1, from: 0, to: 1 }],
  endsAtBreach: !0
};

var closed = {
  title: "A fixed number of clients, each waiting for its response before it sends again",
  loop: "closed",
  ratePerSecond: 0,
  durationSeconds: 60,
  warmupSeconds: 0,
  clients: 8,
  shape: []
};

var STEADY = [{ share: 1, from: 1, to: 1 }];

var load = {
  title: "The usual rate, constant",
  loop: "open",
  ratePerSecond: 10,
  durationSeconds: 60,
  warmupSeconds: 10,
  clients: 0,
  shape: STEADY
};

var smoke = {
  title: "One request per second for a short time: does it respond as expected?",
  loop: "open",
  ratePerSecond: 1,
  durationSeconds: 10,
  warmupSeconds: 0,
  clients: 0,
  shape: STEADY
};

var soak = {
  title: "The usual rate for hours: leaks, growing tables, pruning",
  loop: "open",
  ratePerSecond: 10,
  durationSeconds: 3600,
  warmupSeconds: 60,
  clients: 0,
  shape: STEADY
};

var spike = {
  title: "A sudden jump to five times the usual rate and back: does it recover?",
  loop: "open",
  ratePerSecond: 10,
  durationSeconds: 150,
  warmupSeconds: 10,
  clients: 0,
  shape: [
    { share: 0.4, from: 1, to: 1 },
    { share: 0.2, from: 5, to: 5 },
    { share: 0.4, from: 1, to: 1 }
  ]
};

var stress = {
  title: "Four steps: half the usual rate, the usual rate, one and a half times and twice it",
  loop: "open",
  ratePerSecond: 10,
  durationSeconds: 240,
  warmupSeconds: 10,
  clients: 0,
  shape: [
    { share: 0.25, from: 0.5, to: 0.5 },
    { share: 0.25, from: 1, to: 1 },
    { share: 0.25, from: 1.5, to: 1.5 },
    { share: 0.25, from: 2, to: 2 }
  ]
};

var PROFILES = { smoke, load, stress, spike, soak, breakpoint, closed };
function isProfileName(name) {
  return Object.hasOwn(PROFILES, name);
}

var Mistake = class extends Error {
};

var ARRIVALS = ["even", "random"];
function isArrivals(text) {
  return ARRIVALS.some((known) => known === text);
}
var DEFAULT_ARRIVALS = "even";
function planOf(name, parameters = {}) {
  let profile = PROFILES[name];
  refuseWhatDoesNotFit(name, profile, parameters);
  let durationSeconds = parameters.durationSeconds ?? profile.durationSeconds, warmupSeconds = parameters.warmupSeconds ?? profile.warmupSeconds, rate = parameters.ratePerSecond ?? profile.ratePerSecond, stages = profile.shape.map(({ share, from, to }) => ({
    durationSeconds: share * durationSeconds,
    fromRatePerSecond: from * rate,
    toRatePerSecond: to * rate
  })), first = stages[0];
  if (first !== void 0 && warmupSeconds > 0) {
    let warmRate = first.fromRatePerSecond;
    stages.unshift({
      durationSeconds: warmupSeconds,
      fromRatePerSecond: warmRate,
      toRatePerSecond: warmRate
    });
  }
  return {
    profile: name,
    loop: profile.loop,
    warmupSeconds,
    durationSeconds,
    stages,
    arrivals: parameters.arrivals ?? DEFAULT_ARRIVALS,
    ...parameters.seed === void 0 ? {} : { seed: parameters.seed },
    clients: profile.loop === "closed" ? parameters.clients ?? profile.clients : 0
  };
}
function refuseWhatDoesNotFit(name, profile, parameters) {
  if (profile.loop === "closed" && parameters.ratePerSecond !== void 0)
    throw new Mistake(
      `the profile ${name} has clients, not a rate: say how many, or take the profile load`
    );
  if (profile.loop === "open" && parameters.clients !== void 0)
    throw new Mistake(
      `the profile ${name} has a rate, not clients: say the rate, or take the profile closed`
    );
  if (profile.loop === "closed" && parameters.arrivals !== void 0)
    throw new Mistake(
      `the profile ${name} has clients, and no arrivals of its own: leave the arrivals out, or take the profile load`
    );
  let { ratePerSecond = 1, durationSeconds = 1, warmupSeconds = 0, clients = 1 } = parameters;
  if (!(ratePerSecond >= 1e-3 && ratePerSecond <= 1e5))
    throw new Mistake(
      `the rate ${String(ratePerSecond)} is out of bounds: it must be 0.001 to 100000 requests per second`
    );
  if (!(durationSeconds > 0 && durationSeconds <= 7 * 86400))
    throw new Mistake(
      `the duration of ${String(durationSeconds)} s is out of bounds: it must be more than 0 and at most 7 days`
    );
  if (!(warmupSeconds >= 0 && warmupSeconds <= 86400))
    throw new Mistake(
      `the warm-up of ${String(warmupSeconds)} s is out of bounds: it must be 0 to 1 day`
    );
  if (!(Number.isInteger(clients) && clients >= 1 && clients <= 1e5))
    throw new Mistake(
      `${String(clients)} clients are out of bounds: it must be a whole number from 1 to 100000`
    );
}
function lengthSeconds(plan) {
  return plan.warmupSeconds + plan.durationSeconds;
}

import { randomBytes } from "k6/crypto";
import { b64decode } from "k6/encoding";
import http, { CookieJar } from "k6/http";

function parseConditions(text, { metrics, notUnderstood, noMetric }) {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "").map((part) => {
    let [, name, operator, value, unit = ""] = /^([a-z0-9.-]+)\s*(<=|>=|==|=|<|>)\s*([0-9]*\.?[0-9]+)\s*([a-z%]*)$/i.exec(part) ?? [];
    if (name === void 0) throw new Mistake(notUnderstood(part));
    let metric = metrics.find((known) => known === name.toLowerCase());
    if (metric === void 0) throw new Mistake(noMetric(part));
    return {
      text: part,
      metric,
      value: Number(value),
      unit,
      operator: operator === "==" ? "=" : operator
    };
  });
}
function holds(value, { operator, bound }) {
  switch (operator) {
    case "<":
      return value < bound;
    case "<=":
      return value <= bound;
    case ">":
      return value > bound;
    case ">=":
      return value >= bound;
    case "=":
      return value === bound;
  }
}

var SHAPE = /^\s*(status|json|body|header)((?:[.[][^=!<>~]*)?)\s*(?:(!~|==|!=|<=|>=|=|<|>|~)\s*(.*?)\s*)?$/s;
function parseExpectation(text) {
  let match = SHAPE.exec(text);
  if (match === null)
    throw new Mistake(
      `the expectation '${text}' is not understood: write it like status==200, json.ok==true, body~"text" or header.content-type~json`
    );
  let subject = match[1] ?? "", path = pathOf((match[2] ?? "").trim()), operator = match[3], isText = subject === "body" || subject === "header";
  if ((subject === "status" || subject === "body") && path.length > 0)
    throw new Mistake(`the expectation '${text}' is not understood: ${subject} has no parts`);
  if (subject === "header" && path.length === 0)
    throw new Mistake(
      `the expectation '${text}' names no header: write header.NAME, as in header.content-type~json`
    );
  if (operator === void 0 && subject !== "json" && subject !== "header")
    throw new Mistake(
      `the expectation '${text}' says nothing about the ${subject}: write it like ${subject}==200`
    );
  let wanted = wantedOf(match[4] ?? "", isText || operator === "~" || operator === "!~");
  if (subject === "status" && typeof wanted != "number")
    throw new Mistake(
      `the expectation '${text}' compares the status with something that is not a number`
    );
  let look = lookAt(subject, path);
  return {
    text,
    namesStatus: subject === "status",
    holds: (reply, json) => {
      let seen = look(reply, json);
      return operator === void 0 ? seen != null : compare(seen, operator, wanted);
    }
  };
}
function wrongWith(expectations, reply) {
  let json = lazyJson(reply.body);
  for (let expectation of expectations)
    if (!expectation.holds(reply, json))
      return `${expectation.text} is not met`;
  return null;
}
function valueAt(path, reply) {
  let match = /^(json|header)([.[].*)?$/.exec(path);
  if (match === null)
    throw new Mistake(`'${path}' is not a place in a response: write json.PATH or header.NAME`);
  return lookAt(match[1] ?? "", pathOf(match[2] ?? ""))(reply, lazyJson(reply.body));
}
function pathOf(text) {
  return text.replaceAll("[", ".").replaceAll("]", "").split(".").filter((part) => part !== "");
}
function wantedOf(text, isText) {
  let quoted = text.startsWith('"');
  if (isText && !quoted)
    return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
function lookAt(subject, path) {
  switch (subject) {
    case "status":
      return (reply) => reply.status;
    case "body":
      return (reply) => reply.body;
    case "header": {
      let name = path.join(".").toLowerCase();
      return (reply) => Object.entries(reply.headers).find(([key]) => key.toLowerCase() === name)?.[1];
    }
    default:
      return (_reply, json) => path.reduce(step, json());
  }
}
function step(value, key) {
  return typeof value == "object" && value !== null ? value[key] : void 0;
}
function compare(seen, operator, wanted) {
  switch (operator) {
    case "=":
    case "==":
      return same(seen, wanted);
    case "!=":
      return !same(seen, wanted);
    case "~":
      return asText(seen).includes(String(wanted));
    case "!~":
      return !asText(seen).includes(String(wanted));
    default:
      return holds(Number(seen), { operator, bound: Number(wanted) });
  }
}
function same(seen, wanted) {
  return seen === wanted || seen !== void 0 && JSON.stringify(seen) === JSON.stringify(wanted);
}
function asText(value) {
  return typeof value == "string" ? value : JSON.stringify(value) ?? "";
}
function lazyJson(body) {
  let parsed;
  return () => (parsed ??= { value: parseJson(body) }, parsed.value);
}
function parseJson(body) {
  try {
    return JSON.parse(body);
  } catch {
    return;
  }
}

var EDITOR = /<title>\s*n8n\.io - Workflow Automation\s*<\/title>|static\/base-path\.js/i, PASSWORD_FIELD = /<input\b[^>]*\btype\s*=\s*["']?password\b/i, LOGIN_URL = /(^|[/._-])(log-?in|sign-?in|sso|saml2?|oauth2?|openid|auth|authorize|idp|accounts)([/._?#-]|$)/i;
function unexpected(expectations, reply) {
  let statusKind = reply.status >= 400 ? `status ${String(reply.status)}` : "wrong reply";
  if (!expectations.some(({ namesStatus }) => namesStatus)) {
    if (reply.status < 200 || reply.status > 299)
      return {
        errorKind: statusKind,
        why: "no expectation names the status, so it has to be 200 to 299"
      };
    if (isLoginPage(reply))
      return { errorKind: "login page", why: `it is a login page (${reply.url})` };
    if (isHtml(reply) && EDITOR.test(reply.body))
      return { errorKind: "editor page", why: "it is the page of n8n's editor" };
  }
  let why = wrongWith(expectations, reply);
  return why === null ? null : { errorKind: statusKind, why };
}
function looksAtBody(expectations) {
  return !expectations.some(({ namesStatus }) => namesStatus) || expectations.some(({ text }) => /^\s*(json|body)/.test(text));
}
function isLoginPage(reply) {
  return isHtml(reply) && PASSWORD_FIELD.test(reply.body) ? !0 : reply.url !== reply.requestedUrl && LOGIN_URL.test(beyond(reply.requestedUrl, reply.url));
}
function beyond(requested, url) {
  let parts = new Set(partsOf(requested));
  return partsOf(url).filter((part) => !parts.has(part)).join("/");
}
var partsOf = (url) => url.replace(/^[a-z]+:\/\//i, "").replace(/[?#].*$/, "").split("/");
function isHtml({ headers, body }) {
  return (Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "").includes("html") || /^\s*<(!doctype html|html)\b/i.test(body);
}

function judge(request, answer, id) {
  let kind = errorKindOf(answer);
  if (kind !== "") return { errorKind: kind, ranBy: "", why: answer.error || kind };
  let ranBy2 = request.ranAt === null ? "" : processOf(valueAt(request.ranAt, answer)), wrong2 = unexpected(request.expectations, answer);
  return wrong2 !== null ? { ...wrong2, ranBy: ranBy2, why: `status ${String(answer.status)}, ${wrong2.why}` } : request.requestIdAt !== null && valueAt(request.requestIdAt, answer) !== id ? {
    errorKind: "wrong id",
    ranBy: ranBy2,
    why: `${request.requestIdAt} is not the id that was sent`
  } : { errorKind: "", ranBy: ranBy2, why: "" };
}
function processOf(value) {
  if (typeof value != "object" || value === null) return "";
  let { host = "", pid = "", role = "" } = value;
  return [host, pid, role].map(String).join("/");
}

function prepare(request, { baseUrl, keepsCookies }) {
  let expectations = request.expect.map(parseExpectation);
  return {
    ...request,
    url: baseUrl + request.path,
    expectations,
    keepsCookies,
    readsBody: request.requestIdAt !== null || request.ranAt !== null || looksAtBody(expectations)
  };
}
function pick(requests2, random) {
  let total = requests2.reduce((sum, { weight }) => sum + weight, 0), point = random() * total, chosen = requests2.find(({ weight }) => (point -= weight) < 0) ?? requests2[0];
  if (chosen === void 0)
    throw new Error("the workload has no request");
  return chosen;
}
function send(request, id, mayTakeMs) {
  return http.request(
    request.method,
    request.url,
    bodyOf(request),
    paramsOf(request, id, mayTakeMs)
  );
}
function begin(request, id, mayTakeMs) {
  return http.asyncRequest(
    request.method,
    request.url,
    bodyOf(request),
    paramsOf(request, id, mayTakeMs)
  );
}
var NEVER_THROWS = { throw: !1 };
function paramsOf(request, id, mayTakeMs) {
  return {
    headers: { ...request.headers, "x-load-id": id },
    timeout: `${String(Math.ceil(mayTakeMs))}ms`,
    tags: { name: request.workload },
    responseType: request.readsBody ? "text" : "none",
    // k6's own jar lasts for an iteration, which is a whole lane: an affinity cookie would hold all of it at one pod.
    ...request.keepsCookies ? {} : { jar: new CookieJar() },
    ...NEVER_THROWS
  };
}
var bytesOf = /* @__PURE__ */ new Map();
function bodyOf(request) {
  let { body } = request;
  if (body === null) return null;
  if ("text" in body && body.base64 !== !0) return body.text;
  let bytes = bytesOf.get(request);
  return bytes === void 0 && (bytes = "text" in body ? b64decode(body.text) : randomBytes(Math.round(body.randomMiB * 1024 * 1024)), bytesOf.set(request, bytes)), bytes;
}
function ended(request, response, id, waitedMs, timeoutIsTheEnd) {
  let { status, timings } = response, connected = timings.connecting > 0 ? 1 : 0, judgement = judge(
    request,
    {
      status,
      errorCode: response.error_code,
      error: response.error,
      reused: connected === 0,
      headers: response.headers,
      body: typeof response.body == "string" ? response.body : "",
      requestedUrl: request.url,
      url: response.url
    },
    id
  );
  return {
    ...judgement,
    errorKind: judgement.errorKind === "timeout" && timeoutIsTheEnd ? "unanswered" : judgement.errorKind,
    status,
    protocol: status > 0 ? response.proto : "",
    serviceMs: status > 0 ? timings.blocked + timings.duration : waitedMs,
    connected
  };
}

function dueBetween(plan, fromSeconds, toSeconds) {
  let begin2 = 0, due = 0;
  for (let stage of plan.stages) {
    let from = Math.max(begin2, fromSeconds), to = Math.min(begin2 + stage.durationSeconds, toSeconds);
    to > from && (due += (rateWithin(stage, from - begin2) + rateWithin(stage, to - begin2)) / 2 * (to - from)), begin2 += stage.durationSeconds;
  }
  return due;
}
function highestRate(plan) {
  return plan.stages.reduce(
    (most, { fromRatePerSecond, toRatePerSecond }) => Math.max(most, fromRatePerSecond, toRatePerSecond),
    0
  );
}
function rateWithin(stage, secondsIntoIt) {
  let growth = stage.toRatePerSecond - stage.fromRatePerSecond;
  return stage.fromRatePerSecond + growth * secondsIntoIt / stage.durationSeconds;
}

function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = state + 2654435769 >>> 0;
    let mixed = state;
    return mixed = Math.imul(mixed ^ mixed >>> 16, 569420461), mixed = Math.imul(mixed ^ mixed >>> 15, 1935289751), ((mixed ^ mixed >>> 15) >>> 0) / 2 ** 32;
  };
}
function seedOf(seed, stream) {
  let mixed = (seed ^ Math.imul(stream + 1, 2246822507)) >>> 0;
  return mixed = Math.imul(mixed ^ mixed >>> 13, 3266489909), (mixed ^ mixed >>> 16) >>> 0;
}
function exponential(random, mean) {
  return -mean * Math.log(1 - random());
}

var RATE_PER_LANE = 200, LANES_AT_LEAST = 2, LANES_AT_MOST = 16;
function lanesOf(plan, generators = 1) {
  let wanted = Math.ceil(highestRate(plan) / generators / RATE_PER_LANE);
  return Math.min(LANES_AT_MOST, Math.max(LANES_AT_LEAST, wanted));
}
function dueTimes(plan, seed, lane = 0, lanes = 1) {
  let reach = reaching(plan.stages);
  if (plan.arrivals === "even") {
    let next = lane;
    return () => {
      let due = reach(next);
      return next += lanes, due;
    };
  }
  let random = seededRandom(seedOf(seed, lane)), at = 0;
  return () => (at += exponential(random, lanes), reach(at));
}
function reaching(stages) {
  let index = 0, beganSeconds = 0, before = 0;
  return (requests2) => {
    for (let stage = stages[index]; stage !== void 0; stage = stages[index]) {
      let { durationSeconds, fromRatePerSecond, toRatePerSecond } = stage, within = (fromRatePerSecond + toRatePerSecond) / 2 * durationSeconds;
      if (requests2 - before < within - 1e-9)
        return 1e3 * (beganSeconds + secondsInto(stage, requests2 - before));
      index += 1, beganSeconds += durationSeconds, before += within;
    }
    return null;
  };
}
function secondsInto({ durationSeconds, fromRatePerSecond, toRatePerSecond }, requests2) {
  if (requests2 <= 0) return 0;
  let growth = (toRatePerSecond - fromRatePerSecond) / durationSeconds, root = Math.sqrt(Math.max(0, fromRatePerSecond ** 2 + 2 * growth * requests2));
  return 2 * requests2 / (fromRatePerSecond + root);
}

var WHOLE = { index: 0, of: 1 };
function parseShare(text) {
  let [, number2 = "", of = ""] = /^(\d+)\/(\d+)$/.exec(text) ?? [], share = { index: Number(number2) - 1, of: Number(of) };
  if (number2 === "" || share.index < 0 || share.index >= share.of)
    throw new Mistake(`SHARE is '${text}': write it like 2/3, the second of three generators`);
  return share;
}
var laneOf = (own, { index, of }) => own * of + index, allLanes = (plan, generators) => lanesOf(plan, generators) * generators;
function clientsOf({ clients }, { index, of }) {
  if (clients < of)
    throw new Mistake(
      `${String(clients)} clients cannot be shared among ${String(of)} generators: use at least as many clients as generators`
    );
  return Math.floor(clients / of) + (index < clients % of ? 1 : 0);
}

var NO_REPLY_PAUSE_SECONDS = 1, TOO_LATE_PAUSE_SECONDS = 0.25, clock = null;
function closedLoop({ plan, share, beginsAtMs, timeoutMs, drainMs, prints }, requests2, { runId }) {
  let lastDueMs = lengthSeconds(plan) * 1e3;
  clock ??= startClock({ leadMs: 0, beginsAtMs });
  let { beganAtMs, now } = clock;
  now() < 0 && sleep(-now() / 1e3);
  let begunMs = now();
  if (begunMs >= lastDueMs) {
    sleep(TOO_LATE_PAUSE_SECONDS);
    return;
  }
  let request = pick(requests2, Math.random), client = laneOf(exec2.vu.idInTest - 1, share) + 1, id = `${runId}-${String(client)}-${String(exec2.vu.iterationInInstance)}`;
  prints && print(["b", id, rounded(begunMs), 0, beganAtMs, request.workload]);
  let mayTakeMs = Math.max(1, Math.min(timeoutMs, lastDueMs + drainMs - begunMs)), response = send(request, id, mayTakeMs), end = ended(request, response, id, now() - begunMs, mayTakeMs < timeoutMs), { serviceMs, status, errorKind, protocol, ranBy: ranBy2, connected } = end;
  if (prints && print(["e", id, rounded(serviceMs), status, errorKind, ranBy2, connected]), begunMs >= plan.warmupSeconds * 1e3 && begunMs < lastDueMs) {
    let { workload } = request;
    count({ workload, durationMs: serviceMs, late: null, errorKind, protocol, ranBy: ranBy2, connected });
  }
  sleep(Math.max(errorKind !== "" && status === 0 ? NO_REPLY_PAUSE_SECONDS : 0, request.thinkTimeMs / 1e3));
}
var rounded = (milliseconds3) => Math.round(milliseconds3 * 1e3) / 1e3;

import exec3 from "k6/execution";
import { setTimeout } from "k6/timers";

var LATENCY_METRICS = ["p50", "p90", "p95", "p99", "p99.9", "max", "mean"], SLO_METRICS = [...LATENCY_METRICS, "errors", "throughput", "backlog"], DEFAULT_ERRORS = {
  text: "errors<5%",
  metric: "errors",
  operator: "<",
  bound: 0.05
};
var withErrorBound = (slos) => slos.some(({ metric }) => metric === "errors") ? slos : [...slos, DEFAULT_ERRORS], isAboutLatency = ({ metric }) => LATENCY_METRICS.some((known) => known === metric), MILLISECONDS = { ms: 1, s: 1e3, m: 6e4, min: 6e4 };
function parseSlos(text) {
  let slos = parseConditions(text, {
    metrics: SLO_METRICS,
    notUnderstood: (part) => `the SLO '${part}' is not understood: write it like p95<6s, errors<1%, throughput>=95% or backlog=0`,
    noMetric: (part) => `the SLO '${part}' names no known metric: choose one of ${SLO_METRICS.join(", ")}`
  });
  if (slos.length === 0)
    throw new Mistake("the SLO is empty: write it like p95<6s,errors<1%");
  return slos.map(({ value, unit, ...slo }) => ({
    ...slo,
    bound: boundOf(slo.text, slo.metric, value, unit)
  }));
}
function boundOf(text, metric, value, unit) {
  if (metric === "backlog") {
    if (unit !== "")
      throw new Mistake(`the SLO '${text}' has a unit, but a backlog is a number of executions`);
    return value;
  }
  if (metric === "errors" || metric === "throughput") {
    if (unit !== "%")
      throw new Mistake(
        `the SLO '${text}' needs a per cent sign: ${metric}${metric === "errors" ? "<1%" : ">=95%"}`
      );
    if (value > 100)
      throw new Mistake(`the SLO '${text}' asks for more than 100%`);
    return value / 100;
  }
  let factor = MILLISECONDS[unit.toLowerCase()];
  if (factor === void 0)
    throw new Mistake(
      `the SLO '${text}' needs a time with its unit: ${metric}<300ms or ${metric}<6s`
    );
  return value * factor;
}

var LATE_SHARE = 0.1, LATE_ALLOWED_MS = 5, LATE_ALLOWED_WITHOUT_SLO_MS = 100, MAY_BE_LATE = 0.01;
function allowedLatenessMs(slos) {
  let bounds = slos.filter(isAboutLatency).map(({ bound }) => bound);
  return bounds.length === 0 ? LATE_ALLOWED_WITHOUT_SLO_MS : Math.max(LATE_ALLOWED_MS, LATE_SHARE * Math.min(...bounds));
}

var OTHER_LOAD = {
  vus: "--vus",
  iterations: "--iterations",
  duration: "--duration",
  stages: "--stage",
  rps: "--rps",
  minIterationDuration: "--min-iteration-duration",
  batch: "--batch",
  batchPerHost: "--batch-per-host",
  executionSegment: "--execution-segment"
};
function otherLoad(settings, own, given, running) {
  let flags = Object.entries(OTHER_LOAD).filter(([name]) => isSet(given[name]) && given[name] !== own[name]).filter(([name]) => name !== "executionSegment" || settings.segments === 1).map(([, flag]) => flag);
  if (flags.length > 0) return refusal(`was given ${flags.join(" and ")}`, settings);
  let planned = JSON.stringify(shapesOf(own.scenarios));
  return JSON.stringify(shapesOf(running)) === planned ? null : refusal("does not run the scenario of the script", settings);
}
var withoutSetup = (settings) => refusal("was given --no-setup", settings), tooManyLanes = (settings) => refusal("runs more iterations than the plan has", settings);
function refusal(what, { plan }) {
  let variables = plan.loop === "open" ? "RATE, DURATION, WARMUP and MAX_OPEN" : "VUS and DURATION";
  return `k6 ${what} (an option, a variable K6_... or a configuration file), so that its load would not be the plan of this script: leave that out and say ${variables} with -e, as in k6 run -e DURATION=1m ${plan.profile}.ts; no load was made`;
}
var isSet = (value) => value != null;
function shapesOf(scenarios) {
  return Object.fromEntries(
    Object.entries(scenarios).map(([name, scenario]) => {
      let { executor, vus, iterations } = scenario;
      return [name, { executor, vus, ...iterations ? { iterations } : {} }];
    })
  );
}

var PICKING = 1e6;
async function openLoop(settings, requests2, { runId, seed }) {
  let { plan, share, segments, timeoutMs, drainMs, prints } = settings, warmupMs = plan.warmupSeconds * 1e3, allowedLateMs = allowedLatenessMs(settings.slos), lastDueMs = lengthSeconds(plan) * 1e3, lane = laneOf(exec3.scenario.iterationInTest, share), lanes = allLanes(plan, share.of * segments);
  lane >= lanes && exec3.test.abort(tooManyLanes(settings));
  let mayBeOpen = Math.ceil(settings.maxOpen / (lanes / share.of)), { beganAtMs, now } = startClock({ beginsAtMs: settings.beginsAtMs }), nextDue = dueTimes(plan, seed, lane, lanes), random = seededRandom(seedOf(seed, PICKING + lane)), open2 = 0, sent = 0;
  async function send2(dueMs) {
    let request = pick(requests2, random), measured = dueMs >= warmupMs;
    if (open2 >= mayBeOpen) {
      prints && print(["n", rounded2(dueMs), beganAtMs, request.workload]), measured && countNotSent(request.workload);
      return;
    }
    open2 += 1;
    let id = `${runId}-${String(lane)}-${String(sent)}`;
    sent += 1;
    let begunMs = now(), lateMs = begunMs - dueMs;
    prints && print(["b", id, rounded2(dueMs), rounded2(lateMs), beganAtMs, request.workload]);
    let mayTakeMs = Math.max(1, Math.min(timeoutMs, lastDueMs + drainMs - begunMs)), response = await begin(request, id, mayTakeMs);
    open2 -= 1;
    let end = ended(request, response, id, now() - begunMs, mayTakeMs < timeoutMs), { serviceMs, status, errorKind, protocol, ranBy: ranBy2, connected } = end;
    if (prints && print(["e", id, rounded2(serviceMs), status, errorKind, ranBy2, connected]), measured) {
      let { workload } = request, durationMs = lateMs + serviceMs, late2 = { ms: lateMs, isTooLate: lateMs > allowedLateMs };
      count({ workload, durationMs, late: late2, errorKind, protocol, ranBy: ranBy2, connected });
    }
  }
  await new Promise((allSent) => {
    let due = nextDue(), step2 = () => {
      for (; due !== null && due <= now(); due = nextDue()) send2(due);
      due === null ? allSent() : setTimeout(step2, Math.max(0, due - now()));
    };
    step2();
  });
}
var rounded2 = (milliseconds3) => Math.round(milliseconds3 * 1e3) / 1e3;

var GRACE_SECONDS = 10, PROTOCOLS = ["HTTP/1.0", "HTTP/1.1", "HTTP/2.0"], TREND_STATS = ["count", "avg", "min", "med", "p(90)", "p(95)", "p(99)", "p(99.9)", "max"], SYSTEM_TAGS = [
  "proto",
  "subproto",
  "status",
  "method",
  "name",
  "group",
  "check",
  "error",
  "error_code",
  "tls_version",
  "scenario",
  "service",
  "expected_response"
];
function optionsOf(settings) {
  let { plan, readyMs, hosts } = settings;
  return {
    ...Object.keys(hosts).length === 0 ? {} : { hosts },
    scenarios: { [plan.profile]: scenarioOf(settings) },
    thresholds: k6Thresholds(settings),
    summaryTrendStats: TREND_STATS,
    setupTimeout: `${String(readyMs / 1e3 + GRACE_SECONDS)}s`,
    systemTags: SYSTEM_TAGS,
    userAgent: "n8n-tuned",
    noCookiesReset: settings.keepsCookies,
    // Idle connections that a virtual user keeps: all that were open, and the one used last comes first.
    batch: settings.maxOpen,
    batchPerHost: settings.maxOpen
  };
}
function scenarioOf({ plan, share, segments, beginsAtMs, drainMs }) {
  let waitSeconds = beginsAtMs === null ? 0 : Math.max(0, beginsAtMs - Date.now()) / 1e3, seconds = lengthSeconds(plan) + waitSeconds, gracefulStop = `${String(drainMs / 1e3 + GRACE_SECONDS)}s`;
  return plan.loop === "closed" ? {
    executor: "constant-vus",
    vus: clientsOf(plan, share),
    duration: `${String(Math.ceil(seconds * 1e3))}ms`,
    gracefulStop
  } : {
    executor: "per-vu-iterations",
    // k6 runs as many of them as its segment has.
    vus: allLanes(plan, share.of * segments) / share.of,
    iterations: 1,
    // A lane sends to the end of the plan; then its requests have their time to be answered.
    maxDuration: `${String(Math.ceil(seconds) + GRACE_SECONDS)}s`,
    gracefulStop
  };
}
var LATENCY = {
  p50: "med",
  p90: "p(90)",
  p95: "p(95)",
  p99: "p(99)",
  "p99.9": "p(99.9)",
  max: "max",
  mean: "avg"
}, thresholdsOf = (slos) => slos.map((slo) => {
  let { metric, figure, operator, bound } = boundOf2(slo);
  return {
    slo,
    metric,
    figure,
    operator,
    bound,
    expression: `${figure}${operator === "=" ? "==" : operator}${String(bound)}`
  };
});
function boundOf2(slo) {
  let { operator } = slo, latency = LATENCY[slo.metric];
  if (latency !== void 0)
    return { metric: "load_duration", figure: latency, operator, bound: slo.bound };
  if (slo.metric === "errors")
    return { metric: "load_wrong", figure: "rate", operator, bound: slo.bound };
  if (slo.metric === "throughput")
    return refuseUpperBound(slo), { metric: "load_wrong", figure: "rate", operator: "<=", bound: Number((1 - slo.bound).toFixed(6)) };
  throw new Mistake(
    `the SLO '${slo.text}' cannot be seen by k6 alone: n8n-tuned run asks n8n and its queue for it`
  );
}
var ENOUGH_FOR_EACH = 10;
function k6Thresholds(settings) {
  let { plan, slos, onlyHttp1 } = settings, profile = PROFILES[plan.profile], thresholds = {};
  for (let { metric, expression } of thresholdsOf(slos))
    (thresholds[metric] ??= []).push({
      threshold: expression,
      abortOnFail: profile.endsAtBreach === !0,
      delayAbortEval: "10s"
    });
  slos.some(isAboutLatency) && (thresholds.load_duration ??= []).push("max>0"), mustHaveRequests(settings) && (thresholds.load_requests = ["count>0"]), plan.loop === "open" && (thresholds.load_not_sent = ["count==0"], thresholds.load_too_late = [`rate<=${String(MAY_BE_LATE)}`]);
  for (let kind of COUNTED_KINDS) thresholds[`load_errors{kind:${kind}}`] = ["count>=0"];
  thresholds["load_errors{kind:no socket}"] = ["count==0"];
  for (let protocol of PROTOCOLS) {
    let mustBeNone = onlyHttp1 && protocol !== "HTTP/1.1";
    thresholds[`load_responses{proto:${protocol}}`] = [mustBeNone ? "count==0" : "count>=0"];
  }
  return thresholds;
}
function mustHaveRequests({ plan, share, segments }) {
  let generators = share.of * segments;
  return generators === 1 || plan.loop === "closed" ? !0 : dueBetween(plan, plan.warmupSeconds, lengthSeconds(plan)) >= ENOUGH_FOR_EACH * generators;
}
function refuseUpperBound({ text, operator }) {
  if (operator !== ">" && operator !== ">=")
    throw new Mistake(`the SLO '${text}' sets an upper bound to throughput: write throughput>=95%`);
}

import { sleep as sleep2 } from "k6";
import exec4 from "k6/execution";
var HTTP_1 = "HTTP/1.1";
function waitUntilExpected(settings, requests2) {
  let { readyMs, timeoutMs, runId, onlyHttp1 } = settings;
  if (readyMs === 0) return;
  let giveUpMs = Date.now() + readyMs, waitingFor = (request) => {
    let id = `${runId}-ready`, response = send(request, id, Math.min(timeoutMs, readyMs)), { why, protocol } = ended(request, response, id, 0, !1);
    return onlyHttp1 && protocol !== "" && protocol !== HTTP_1 && exec4.test.abort(
      `${request.url} responds over ${protocol} although HTTP=1.1 was asked for: add -e GODEBUG=http2client=0; no load was made`
    ), why;
  };
  for (let request of requests2) {
    let why = waitingFor(request);
    for (; why !== "" && Date.now() < giveUpMs; )
      sleep2(0.25), why = waitingFor(request);
    why !== "" && exec4.test.abort(
      `${request.method} ${request.url} did not get its expected response within ${String(readyMs / 1e3)} s (${why}): no load was made`
    );
  }
}

var UNIT_SECONDS = { ms: 1e-3, s: 1, m: 60, h: 3600, d: 86400 };
function parseDuration(text) {
  let trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed))
    return Number(trimmed);
  let parts = [...trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== trimmed)
    throw new Mistake(`'${text}' is not a duration: write it like 30s, 1m30s or 2h`);
  return parts.reduce((sum, part) => sum + Number(part[1]) * (UNIT_SECONDS[part[2] ?? ""] ?? 0), 0);
}

var OPEN_AT_MOST = 1e4, OPEN_AT_LEAST = 50, BUNCHES = 1.2;
function openLimit(plan, timeoutMs, generators = 1) {
  return plan.loop === "closed" ? plan.clients : Math.min(generators * OPEN_AT_MOST, openAtOnce(plan, timeoutMs));
}
function refuseTooManyOpen(plan, timeoutMs, slos, generators = 1) {
  if (plan.loop === "closed") return;
  let slowestMs = Math.max(0, ...slos.filter(isUpperLatency).map(({ bound }) => bound)), allowed = openAtOnce(plan, Math.min(slowestMs, timeoutMs)), most = generators * OPEN_AT_MOST;
  if (allowed > most)
    throw new Mistake(
      `${String(highestRate(plan))} requests per second that may each take ${String(slowestMs / 1e3)} s can have ${String(allowed)} open at the same time, more than the ${String(most)} that ${generators === 1 ? "one generator opens by itself" : `${String(generators)} generators open by themselves`} (about 64 KiB of memory and a socket each): choose a lower rate or SLO, or set the limit yourself (--max-open, with plain k6 MAX_OPEN)`
    );
}
function openAtOnce(plan, eachMs) {
  let byTime = highestRate(plan) * BUNCHES * (eachMs / 1e3), inAll = dueBetween(plan, 0, lengthSeconds(plan)) * BUNCHES;
  return Math.ceil(Math.min(byTime, inAll)) + OPEN_AT_LEAST;
}
var isUpperLatency = (slo) => isAboutLatency(slo) && slo.operator.startsWith("<");

function ownRequest(own) {
  let match = /^\s*(GET|POST|PUT|PATCH|DELETE|HEAD)\s+(\/\S*)\s*$/i.exec(own.request);
  if (match === null)
    throw new Mistake(
      `the request '${own.request}' is not understood: write it like POST /webhook/order`
    );
  let { body } = own, method = (match[1] ?? "").toUpperCase();
  if (body !== void 0 && (method === "GET" || method === "HEAD"))
    throw new Mistake(`a ${method} has no body: leave the body out, or write POST`);
  own.expect?.forEach(parseExpectation);
  let headers = headersFrom(own.headers ?? []), { bodyIsBase64: base64 = !1 } = own, isJson = body !== void 0 && !base64 && /^\s*[{[]/.test(body), named = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return {
    workload: "request",
    weight: 1,
    method,
    path: match[2] ?? "",
    headers: isJson && !named ? { "content-type": "application/json", ...headers } : headers,
    body: body === void 0 ? null : { text: body, ...base64 ? { base64 } : {} },
    expect: [...own.expect ?? []],
    requestIdAt: own.requestIdAt ?? null,
    ranAt: null,
    thinkTimeMs: 0,
    latencyFloorMs: 0
  };
}
function withHeaders(requests2, lines2) {
  let headers = headersFrom(lines2);
  return requests2.map((request) => ({ ...request, headers: { ...request.headers, ...headers } }));
}
function headersFrom(lines2) {
  return Object.fromEntries(lines2.map(headerOf));
}
function headerOf(line) {
  let colon = line.indexOf(":");
  if (colon < 1)
    throw new Mistake(`the header '${line}' is not understood: write it like Name: value`);
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}

var TARGET = {
  BASE_URL: {
    what: "Where n8n answers, without a path.",
    usual: "http://127.0.0.1:5678",
    example: "https://n8n.example.com"
  },
  HTTP: {
    what: "`1.1`: no HTTP/2 over https. k6 decides this before it runs a script, so add `-e GODEBUG=http2client=0`.",
    example: "1.1"
  },
  COOKIES: {
    what: "`keep`: each virtual user keeps its cookies. Otherwise every request begins without any, as that of a new client.",
    example: "keep"
  }
}, REQUEST = {
  WORKLOAD: {
    what: "One of the [workloads](../docs/workloads.md), whose workflow is in n8n.",
    usual: "last-node",
    example: "wait-5s"
  },
  VARIANT: { what: "The variant of the workload.", example: "load-target" },
  PARAMETERS: { what: "Parameters of the workload.", example: "n=5000" },
  REQUEST: {
    what: "Your own request in place of a workload.",
    example: "'POST /webhook/order'"
  },
  BODY: { what: "The body of your own request.", example: `'{"id":7}'` },
  HEADERS: { what: "Headers, one per line, also for a workload.", example: "'x-load-key: ...'" },
  EXPECT: {
    what: "What the response must be, one per line; a status of 200 to 299, no login page and no editor are always expected unless you name the status.",
    example: "json.ok==true"
  },
  REQUEST_ID_AT: {
    what: "Where the response repeats the header `x-load-id`: then a response to another request is an error.",
    example: "json.id"
  }
}, LOAD = {
  RATE: {
    what: "Requests per second of an open profile, whether or not n8n has answered.",
    usual: "profile",
    example: "20"
  },
  VUS: {
    what: "Clients of the profile `closed`: each waits for its response.",
    usual: "profile",
    example: "8"
  },
  DURATION: { what: "How long is measured.", usual: "profile", example: "5m" },
  WARMUP: { what: "Sent before it, and not measured.", usual: "profile", example: "10s" },
  ARRIVALS: {
    what: "`even`, or `random` as of many callers who do not know each other.",
    usual: DEFAULT_ARRIVALS,
    example: "random"
  },
  SEED: { what: "Of random arrivals and of blends: the same seed, the same load.", example: "7" },
  MAX_OPEN: {
    what: "Requests open at the same time; more are not sent, and the run is not valid. Default: rate x timeout, at most 10000.",
    example: "20000"
  }
}, LIMITS = {
  SLO: {
    what: "What must hold: `p50` to `p99.9`, `max`, `mean`, `errors`, `throughput`. `errors<5%` is added where it says nothing about errors.",
    example: "'p95<300ms,errors<1%'"
  },
  TIMEOUT: { what: "A request is given up after this.", usual: "60s", example: "30s" },
  DRAIN: {
    what: "Wait for responses this long after the last request was due.",
    usual: "30s",
    example: "10s"
  },
  READY: {
    what: "Wait this long for the expected response before the load; `0`: do not look.",
    usual: "60s",
    example: "5m"
  }
}, OUTPUT = {
  SUMMARY: {
    what: "`short`: no figures of k6's own below the summary.",
    example: "short"
  },
  SUMMARY_FILE: { what: "The summary as JSON; `stdout` prints it.", example: "summary.json" },
  CATALOGUE: { what: "Another catalogue of workloads.", example: "/path/to/catalogue.json" }
}, FROM_PROGRAMS = {
  PLAN: { what: "The whole plan as JSON." },
  WORKLOAD_FILE: { what: "A file with the requests as JSON." },
  HOSTS: { what: "Addresses of hosts as JSON." },
  SHARE: { what: "The part of the plan that this generator makes, such as `2/3`." },
  SEGMENTS: {
    what: "Of how many generators k6's execution segment makes this one; the k6-operator gives the segment."
  },
  BEGINS_AT: { what: "When the load begins, in milliseconds since 1970." },
  RUN_ID: { what: "Makes the ids of requests differ from those of other runs." },
  PRINT_REQUESTS: { what: "`1`: each request as a line on standard output." }
}, VARIABLES = {
  ...TARGET,
  ...REQUEST,
  ...LOAD,
  ...LIMITS,
  ...OUTPUT,
  ...FROM_PROGRAMS
};

function findWorkload(workloads, name) {
  let found = workloads.find((workload) => workload.name === name);
  if (found === void 0) {
    let known = workloads.map((workload) => workload.name).join(", ");
    throw new Mistake(`there is no workload '${name}': choose one of ${known}`);
  }
  return found;
}
function requestsOf(catalogue, name, choice = {}) {
  let workload = findWorkload(catalogue.workloads, name);
  return workload.copies !== void 0 ? Array.from(
    { length: workload.copies },
    (_, index) => requestOf(workload, choice, { copy: index + 1 })
  ) : workload.blend === void 0 ? [requestOf(workload, choice)] : workload.blend.map(({ workload: part, weight }) => ({
    ...requestOf(findWorkload(catalogue.workloads, part), { variant: choice.variant }),
    weight
  }));
}
function variantOf(workload, wanted) {
  let names = Object.keys(workload.variants ?? {});
  if (wanted === void 0)
    return names.includes("native") ? "native" : names[0] ?? null;
  if (!names.includes(wanted))
    throw new Mistake(
      `the workload ${workload.name} has no variant '${wanted}': it has ${names.join(", ") || "none"}`
    );
  return wanted;
}
function parametersOf(workload, given = {}) {
  let known = workload.parameters ?? {};
  for (let name of Object.keys(given))
    if (!Object.hasOwn(known, name)) {
      let names = Object.keys(known).join(", ") || "none";
      throw new Mistake(
        `the workload ${workload.name} has no parameter '${name}': it has ${names}`
      );
    }
  return Object.fromEntries(
    Object.entries(known).map(([name, shape]) => [
      name,
      parameterValue(
        `the parameter ${name} of ${workload.name}`,
        shape,
        given[name] ?? shape.default
      )
    ])
  );
}
function parametersFrom(pairs) {
  return Object.fromEntries(
    pairs.map((pair) => {
      let equals = pair.indexOf("=");
      if (equals < 1)
        throw new Mistake(`the parameter '${pair}' is not understood: write it like n=5000`);
      return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
    })
  );
}
function latencyFloorMsOf(workload, parameters) {
  let floor = workload.latencyFloorMs ?? 0;
  return typeof floor == "number" ? floor : Number(parameters[floor.parameter]) * floor.times;
}
function requestOf(workload, choice, also = {}) {
  let name = variantOf(workload, choice.variant), variant = name === null ? void 0 : workload.variants?.[name], request = { ...workload.request, ...variant?.request }, reply = { ...workload.reply, ...variant?.reply };
  if (request.method === void 0 || request.path === void 0 || reply.expect === void 0)
    throw new Mistake(
      `the workload ${workload.name} takes no requests, as it starts by itself: import it in the editor, or choose another one`
    );
  let values = { ...parametersOf(workload, choice.parameters), ...also }, query = Object.entries(request.query ?? {}).map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(fill(value, values))}`
  ), path = fill(request.path, values, encodeURIComponent), { body, contentType } = bodyOf2(request.body, values), headers = Object.entries(request.headers ?? {}).map(([key, value]) => [
    key,
    fill(value, values)
  ]);
  return {
    workload: workload.name,
    weight: 1,
    method: request.method,
    path: query.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${query.join("&")}`,
    headers: { ...contentType, ...Object.fromEntries(headers) },
    body,
    expect: reply.expect.map((text) => fill(text, values)),
    requestIdAt: reply.requestIdAt ?? null,
    ranAt: reply.ranAt ?? null,
    thinkTimeMs: workload.thinkTimeMs ?? 0,
    latencyFloorMs: latencyFloorMsOf(workload, values)
  };
}
function bodyOf2(body, values) {
  return body === void 0 ? { body: null, contentType: {} } : "text" in body ? {
    body: { text: fill(body.text, values) },
    contentType: { "content-type": "text/plain" }
  } : "randomMiB" in body ? { body: { randomMiB: Number(fill(body.randomMiB, values)) }, contentType: { "content-type": body.contentType } } : {
    body: { text: JSON.stringify(fillDeep(body.json, values)) },
    contentType: { "content-type": "application/json" }
  };
}
function fill(text, values, encode = (value) => value) {
  return text.replace(/\{([A-Za-z][A-Za-z0-9]*)\}/g, (whole, name) => {
    let value = values[name];
    return value === void 0 ? whole : encode(String(value));
  });
}
function fillDeep(json, values) {
  if (typeof json == "string") {
    let only2 = /^\{([A-Za-z][A-Za-z0-9]*)\}$/.exec(json)?.[1];
    return only2 !== void 0 && values[only2] !== void 0 ? values[only2] : fill(json, values);
  }
  return Array.isArray(json) ? json.map((item) => fillDeep(item, values)) : typeof json == "object" && json !== null ? Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, fillDeep(value, values)])
  ) : json;
}
function parameterValue(what, shape, given) {
  if (shape.type === "string")
    return String(given);
  let value = typeof given == "string" && given.trim() === "" ? Number.NaN : Number(given);
  if (!(shape.type === "integer" ? Number.isInteger(value) : Number.isFinite(value)) || value < (shape.min ?? -1 / 0) || value > (shape.max ?? 1 / 0)) {
    let bounds = [
      shape.min === void 0 ? "" : ` from ${String(shape.min)}`,
      shape.max === void 0 ? "" : ` up to ${String(shape.max)}`
    ].join("");
    throw new Mistake(
      `${what} is '${String(given)}': it must be ${shape.type === "integer" ? "a whole number" : "a number"}${bounds}`
    );
  }
  return value;
}

function readSettings(profile, env, readText, catalogueFile) {
  let plan = planFrom(profile, env), slos = env.SLO === void 0 || env.SLO === "" ? [] : withErrorBound(parseSlos(env.SLO)), timeoutMs = milliseconds(env, "TIMEOUT"), baseUrl = baseUrlFrom(env), share = env.SHARE === void 0 ? WHOLE : parseShare(env.SHARE), segments = env.SEGMENTS === void 0 ? 1 : wholeFromOne(env, "SEGMENTS");
  return {
    baseUrl,
    hosts: env.HOSTS === void 0 ? {} : JSON.parse(env.HOSTS),
    requests: requestsFrom(env, readText, catalogueFile),
    plan,
    share,
    segments,
    beginsAtMs: env.BEGINS_AT === void 0 ? null : number(env, "BEGINS_AT"),
    slos,
    onlyHttp1: onlyHttp1From(env, baseUrl),
    keepsCookies: only(env, "COOKIES", "keep"),
    timeoutMs,
    drainMs: milliseconds(env, "DRAIN"),
    readyMs: milliseconds(env, "READY"),
    maxOpen: Math.ceil(maxOpenFrom(env, plan, share.of * segments, timeoutMs, slos) / share.of),
    runId: env.RUN_ID ?? Date.now().toString(36),
    givenRunId: env.RUN_ID ?? null,
    seed: plan.seed ?? Date.now() % 2 ** 31,
    prints: env.PRINT_REQUESTS === "1",
    summaryFile: env.SUMMARY_FILE ?? null,
    summaryIsShort: only(env, "SUMMARY", "short")
  };
}
function planFrom(profile, env) {
  if (!isProfileName(profile))
    throw new Mistake(
      `there is no profile '${profile}': choose one of ${Object.keys(PROFILES).join(", ")}`
    );
  if (env.PLAN !== void 0)
    return JSON.parse(env.PLAN);
  let parameters = {};
  if (env.RATE !== void 0 && (parameters.ratePerSecond = number(env, "RATE")), env.DURATION !== void 0 && (parameters.durationSeconds = parseDuration(env.DURATION)), env.WARMUP !== void 0 && (parameters.warmupSeconds = parseDuration(env.WARMUP)), env.VUS !== void 0 && (parameters.clients = number(env, "VUS")), env.SEED !== void 0 && (parameters.seed = number(env, "SEED")), env.ARRIVALS !== void 0) {
    if (!isArrivals(env.ARRIVALS))
      throw new Mistake(`ARRIVALS is '${env.ARRIVALS}': it must be ${ARRIVALS.join(" or ")}`);
    parameters.arrivals = env.ARRIVALS;
  }
  return planOf(profile, parameters);
}
function baseUrlFrom(env) {
  let url = env.BASE_URL ?? VARIABLES.BASE_URL.usual;
  if (!/^https?:\/\/[^/\s]+/.test(url))
    throw new Mistake(`BASE_URL is '${url}': write it like http://127.0.0.1:5678`);
  return url.replace(/\/+$/, "");
}
function requestsFrom(env, readText, catalogueFile) {
  if (env.WORKLOAD_FILE !== void 0)
    return JSON.parse(readText(env.WORKLOAD_FILE));
  if (env.REQUEST !== void 0)
    return [
      ownRequest({
        request: env.REQUEST,
        headers: lines(env.HEADERS),
        body: env.BODY,
        expect: lines(env.EXPECT),
        requestIdAt: env.REQUEST_ID_AT
      })
    ];
  let catalogue = JSON.parse(readText(env.CATALOGUE ?? catalogueFile)), requests2 = requestsOf(catalogue, env.WORKLOAD ?? VARIABLES.WORKLOAD.usual, {
    variant: env.VARIANT,
    // PARAMETERS='n=5000,ms=10'
    parameters: parametersFrom((env.PARAMETERS ?? "").split(",").filter((pair) => pair !== ""))
  });
  return withHeaders(requests2, lines(env.HEADERS));
}
function maxOpenFrom(env, plan, generators, timeoutMs, slos) {
  return env.MAX_OPEN === void 0 || plan.loop === "closed" ? (refuseTooManyOpen(plan, timeoutMs, slos, generators), openLimit(plan, timeoutMs, generators)) : wholeFromOne(env, "MAX_OPEN");
}
function onlyHttp1From(env, baseUrl) {
  let asked = only(env, "HTTP", "1.1"), isSet2 = (env.GODEBUG ?? "").split(",").includes("http2client=0");
  if (asked && baseUrl.startsWith("https") && !isSet2)
    throw new Mistake(
      "HTTP=1.1 takes effect only together with GODEBUG=http2client=0, which k6 itself reads: add -e GODEBUG=http2client=0"
    );
  return asked;
}
function only(env, name, value) {
  let text = env[name] ?? "";
  if (text !== "" && text !== value)
    throw new Mistake(`${name} is '${text}': it must be ${value}, or be left out`);
  return text === value;
}
function wholeFromOne(env, name) {
  let value = number(env, name);
  if (!Number.isInteger(value) || value < 1)
    throw new Mistake(`${name} is '${env[name] ?? ""}': it must be a whole number of at least 1`);
  return value;
}
function milliseconds(env, name) {
  return 1e3 * parseDuration(env[name] ?? VARIABLES[name].usual);
}
function number(env, name) {
  let value = Number(env[name]);
  if (!Number.isFinite(value))
    throw new Mistake(`${name} is '${env[name] ?? ""}': it must be a number`);
  return value;
}
function lines(text) {
  return (text ?? "").split(`
`).map((line) => line.trim()).filter((line) => line !== "");
}

var ORDER = ["count", "rate", "avg", "min", "med", "p(90)", "p(95)", "p(99)", "p(99.9)", "max"];
function figuresOfK6(metrics) {
  let lines2 = [...metrics].filter(([name, metric]) => !isEmptyPart(name, metric)).sort(([one], [other]) => one < other ? -1 : 1).map(([name, metric]) => `  ${`${name} `.padEnd(42, ".")}: ${figures(metric)}`);
  return lines2.length === 0 ? "" : `${lines2.join(`
`)}

`;
}
var isEmptyPart = (name, { values }) => name.includes("{") && values.count === 0;
function figures({ type, contains, values, thresholds }) {
  let text = type === "rate" ? `${(100 * (values.rate ?? 0)).toFixed(2)}% ${String(values.passes ?? 0)} out of ${String((values.passes ?? 0) + (values.fails ?? 0))}` : ORDER.filter(
    (name) => values[name] !== void 0 && !(type === "trend" && name === "count")
  ).map((name) => `${name}=${valueText(values[name] ?? 0, name, contains)}`).join(" "), failed = Object.entries(thresholds).filter(([, ok]) => !ok).map(([expression]) => ` (threshold '${expression}' failed)`);
  return text + failed.join("");
}
function valueText(value, name, contains) {
  return name === "rate" ? `${value.toFixed(2)}/s` : contains === "time" ? `${value.toFixed(2)}ms` : contains === "data" ? `${String(Math.round(value))}B` : String(value);
}

function readK6Summary(data) {
  let plain = JSON.parse(JSON.stringify(data)), { metrics, setup_data: setupData, results } = fields(plain), list = fields(results).metrics, entries = Array.isArray(list) ? list.map((metric) => [textOf(fields(metric).name), metric]) : Object.entries(fields(metrics));
  return {
    metrics: new Map(entries.map(([name, metric]) => [name, metricOf(fields(metric))])),
    setupData
  };
}
function metricOf({ type, contains, values, thresholds }) {
  let judged = Object.entries(fields(thresholds)).flatMap(([text, threshold]) => {
    let { ok } = fields(threshold);
    return typeof ok == "boolean" ? [[text, ok]] : [];
  });
  return {
    type: textOf(type),
    contains: textOf(contains),
    values: valuesOf(fields(values)),
    thresholds: Object.fromEntries(judged)
  };
}
function valuesOf(values) {
  let numbers = Object.entries(values).flatMap(
    ([name, value]) => typeof value == "number" ? [[name.replace(/^p(\d+)$/, "p($1)"), value]] : []
  ), { matches, total, ...others } = Object.fromEntries(numbers);
  return matches === void 0 || total === void 0 ? others : { ...others, passes: matches, fails: total - matches };
}
var fields = (value) => typeof value == "object" && value !== null ? value : {}, textOf = (value) => typeof value == "string" ? value : "";

function sentences(summary) {
  let { latencyMs, latenessMs, errors: errors2, protocols } = summary;
  return [
    "",
    `  ${summary.profile} of ${summary.workloads.join(", ")} against ${summary.baseUrl}`,
    ...summary.notValid.map((why) => `  NOT VALID     ${why}`),
    `  requests      ${String(summary.requests)}, expected responses ${String(summary.expected)} (${summary.expectedPerSecond.toFixed(1)}/s)`,
    `  errors        ${counts(errors2)}`,
    `  responses     ${counts(protocols)}`,
    ...latenessMs === null || latenessMs.p50 === null ? [] : [
      `  started late  median ${milliseconds2(latenessMs.p50, 1)}, p99 ${milliseconds2(latenessMs.p99, 1)}; part of the latency`
    ],
    latencyMs === null ? "  latency       none: no request got its expected response" : `  latency       p50 ${milliseconds2(latencyMs.p50)}, p95 ${milliseconds2(latencyMs.p95)}, p99 ${milliseconds2(latencyMs.p99)}, max ${milliseconds2(latencyMs.max)}`,
    ...summary.slo.map(({ text, met }) => `  ${wordFor(met)} ${text}`),
    "",
    ""
  ].join(`
`);
}
function wordFor(met) {
  return met === null ? "not known    " : met ? "met          " : "missed       ";
}
var milliseconds2 = (value, digits = 0) => value === null ? "not known" : `${value.toFixed(digits)} ms`, counts = (byName) => Object.entries(byName).map(([name, count2]) => `${name} ${String(count2)}`).join(", ") || "none";

function summaryOf(settings, data) {
  let k6 = readK6Summary(data), summary = loadSummary(settings, k6), figures2 = settings.summaryIsShort ? "" : figuresOfK6(k6.metrics), files = settings.prints ? {} : { stdout: sentences(summary) + figures2 }, { summaryFile } = settings;
  if (summaryFile === null) return files;
  let json = `${JSON.stringify(summary, null, 2)}
`;
  return { ...files, [summaryFile]: json };
}
function loadSummary(settings, { metrics, setupData }) {
  let { plan, baseUrl, slos } = settings, figure = (metric, name) => metrics.get(metric)?.values[name] ?? null, count2 = (metric) => figure(metric, "count") ?? 0, wrong2 = figure("load_wrong", "passes") ?? 0, expected = figure("load_wrong", "fails") ?? 0, requests2 = wrong2 + expected, errors2 = errorsOf(wrong2, count2), isOpen = plan.loop === "open", at = (name) => figure("load_duration", name), summary = {
    schemaVersion: 4,
    runId: setupData?.runId ?? settings.givenRunId,
    baseUrl,
    workloads: settings.requests.map(({ workload }) => workload),
    profile: plan.profile,
    loop: plan.loop,
    warmupSeconds: plan.warmupSeconds,
    durationSeconds: plan.durationSeconds,
    requests: requests2,
    expected,
    expectedPerSecond: expected / plan.durationSeconds,
    errors: errors2,
    unanswered: {
      requests: errors2.unanswered ?? 0,
      oldestAgeMs: figure("load_unanswered_age", "max") ?? 0
    },
    arrivals: isOpen ? plan.arrivals : null,
    notSent: count2("load_not_sent"),
    latenessMs: isOpen ? {
      p50: figure("load_late", "med"),
      p99: figure("load_late", "p(99)"),
      max: figure("load_late", "max")
    } : null,
    newConnections: count2("load_new_connections"),
    protocols: Object.fromEntries(
      PROTOCOLS.map((proto) => [
        proto,
        count2(`load_responses{proto:${proto}}`)
      ]).filter(([, number2]) => number2 > 0)
    ),
    latencyMs: hasLatency(metrics) ? {
      mean: at("avg"),
      min: at("min"),
      p50: at("med"),
      p90: at("p(90)"),
      p95: at("p(95)"),
      p99: at("p(99)"),
      p999: at("p(99.9)"),
      max: at("max")
    } : null,
    slo: thresholdsOf(slos).map((threshold) => ({
      text: threshold.slo.text,
      met: requests2 > 0 ? isMet(metrics, threshold) : null
    }))
  }, notValid = whyNotValid(summary, figure("load_too_late", "rate") ?? 0, settings), passed = notValid.length === 0 && summary.slo.every(({ met }) => met === !0);
  return { ...summary, passed, notValid };
}
function errorsOf(wrong2, count2) {
  let kinds = COUNTED_KINDS.map((kind) => [
    kind,
    count2(`load_errors{kind:${kind}}`)
  ]), known = kinds.reduce((sum, [, number2]) => sum + number2, 0);
  return Object.fromEntries(
    [...kinds, ["kind not known", wrong2 - known]].filter(([, number2]) => number2 > 0)
  );
}
function isMet(metrics, { metric, figure, operator, bound, expression }) {
  if (metric === "load_duration" && !hasLatency(metrics)) return null;
  let found = metrics.get(metric), judged = found?.thresholds[expression];
  if (judged !== void 0) return judged;
  let value = found?.values[figure];
  return value === void 0 ? null : holds(value, { operator, bound });
}
var hasLatency = (metrics) => (metrics.get("load_duration")?.values.max ?? 0) > 0;
function whyNotValid({ requests: requests2, notSent: notSent2, errors: errors2, protocols }, tooLate2, { slos, onlyHttp1 }) {
  if (requests2 === 0) return ["no request was measured"];
  let faults = [];
  notSent2 > 0 && faults.push(
    `${String(notSent2)} requests were due and not sent, because too many were open: raise MAX_OPEN`
  );
  let noSocket = errors2[NO_SOCKET] ?? 0;
  noSocket > 0 && faults.push(`${String(noSocket)} requests found no free socket on the machine of k6`), tooLate2 > MAY_BE_LATE && faults.push(
    `${(100 * tooLate2).toFixed(1)}% of the requests were started more than ${String(allowedLatenessMs(slos))} ms after they were due, and at most ${String(100 * MAY_BE_LATE)}% may be: give k6 more CPU, or take a lower rate`
  );
  let others = Object.keys(protocols).filter((protocol) => protocol !== "HTTP/1.1");
  return onlyHttp1 && others.length > 0 && faults.push(`responses came over ${others.join(" and ")}, although HTTP=1.1 was asked for`), faults;
}

var CATALOGUE_FILE = import.meta.resolve("../../workflows/catalogue.json");
function script(profile) {
  let settings = readSettings(profile, __ENV, (file) => open(file), CATALOGUE_FILE), requests2 = settings.requests.map((request) => prepare(request, settings)), loop = settings.plan.loop === "open" ? openLoop : closedLoop, own = optionsOf(settings), options = { ...own }, look = () => {
    waitUntilExpected(settings, requests2);
  };
  return {
    options,
    look,
    setup: () => {
      let given = options, running = exec5.test.options.scenarios, other = otherLoad(settings, own, given, running);
      return other !== null && exec5.test.abort(other), look(), settings.beginsAtMs !== null && settings.prints && print(["r", Date.now()]), { runId: settings.runId, seed: settings.seed };
    },
    iteration: (run) => {
      if (run === void 0) exec5.test.abort(withoutSetup(settings));
      else return loop(settings, requests2, run);
    },
    handleSummary: (data) => summaryOf(settings, data)
  };
}

export {
  script
};
