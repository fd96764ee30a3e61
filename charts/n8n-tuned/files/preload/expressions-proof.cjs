// Whether a changed bundle of expressions gives the same results as n8n's, faster: both run in sandboxes of n8n's own
// isolated-vm, and are asked the same. As a program it says so for the patches that it is given, or that this took more than
// 1 s of CPU. node expressions-proof.cjs <bundle> <isolated-vm> <patch> ... docs/chart/patches.md
const { readFileSync, writeSync } = require('node:fs');
const { setInterval } = require('node:timers');

/** CPU time. On two busy cores of an AMD EPYC, 48 proofs took 540 to 860 ms, and 16 that refused a patch 660 to 960 ms. */
const BUDGET_MS = 1000;
const LATE = `a test took more than ${BUDGET_MS / 1000} s of CPU`;
const LOOK_EVERY_MS = 20;
/** In real time, for what does not end. */
const LONGEST_MS = 60_000;
/** Shares of n8n's own time: the part in which a patch gains takes so much at the most, and everything together. */
const MAX_SHARE = { ofPart: 0.8, ofAll: 1.25 };

const HOST = `
  const item = { __isObject: true, __keys: ['a'] };
  // Releases before 2.35.4 call it as a reference of isolated-vm.
  const callable = (call) => Object.assign(call, { applySync: (_, given) => call(...given) });
  const host = {
    getValueAtPath: callable((path) => (path.at(-1) === 'a' ? 'a' : item)),
    getArrayElement: callable(() => item),
    callHost: callable(() => item),
  };
  const seen = [];
  const see = (look) => {
    try {
      const value = look();
      seen.push(value === undefined ? 'undefined' : JSON.stringify(value));
    } catch (error) {
      seen.push('!' + error.name + ': ' + error.message);
    }
  };`;

/** What the first expression of an execution runs, on an item with one field. */
const FIRST = `${HOST}
  const context = buildContext(host, 'UTC');
  '$json' in context;
  __prepareForTransfer({ a: context.$json.a, b: extend('a', 'isEmpty', []), c: context.$now });
  return true;`;

/** Every character of the basic plane, some of the next ones, and what is set on the map. */
const CHARACTERS = `${HOST}
  const replaced = (text) => see(() => extend(text, 'replaceSpecialChars', []));
  for (let high = 0; high < 256; high += 1) {
    if (high >= 0xd8 && high < 0xe0) continue;
    replaced(String.fromCharCode(...Array.from({ length: 256 }, (_, low) => high * 256 + low)));
  }
  for (const text of ['', '\\ud83d\\ude00', '\\u{1F1E6}a', 'ab'.repeat(50)]) replaced(text);
  for (const value of [1, null, [], {}]) replaced(value);
  return JSON.stringify(seen);`;

/** $now and $today in zones and at moments; read late, set, deleted, and with another context alive beside theirs. */
const TIMES = `${HOST}
  const zones = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Nowhere/Land', '', undefined];
  const moments = [0, 1711846800000, 1730595600000, -2.2e12];
  const { now } = Date;
  for (const zone of zones) {
    for (const moment of moments) {
      Date.now = () => moment;
      see(() => {
        const context = buildContext(host, zone);
        try { buildContext(host, 'Asia/Tokyo'); } catch {}
        Date.now = () => moment + 86400000;
        const { enumerable, configurable } = Object.getOwnPropertyDescriptor(context, '$now');
        const { $now, $today } = context;
        return [$now.toISO(), $today.toISO(), $now.zoneName, $now === context.$now, enumerable, configurable];
      });
      see(() => {
        const context = buildContext(host, zone);
        context.$now = 5;
        delete context.$today;
        return [context.$now, typeof context.$today, Object.keys(context).join()];
      });
    }
  }
  Date.now = now;
  for (const zone of ['Europe/Berlin', 'Nowhere/Land', 'Europe/Berlin', 'constructor'])
    see(() => DateTime.fromMillis(0, { zone }).isValid);
  for (let n = 0; n < 250; n += 1) {
    const moment = (((n * 7919) % 220) - 90) * 31557600000 + n * 86400000;
    see(() => DateTime.fromMillis(moment, { zone: zones[n % 4] }).offset);
  }
  seen.push(JSON.stringify(Object.getOwnPropertyNames(globalThis).sort()));
  return JSON.stringify(seen);`;

/** What every expression does about times, without reading one. */
const CONTEXTS = `${HOST}
  for (let n = 0; n < 100; n += 1) see(() => buildContext(host, 'Europe/Berlin').$json.a);
  return JSON.stringify(seen);`;

const ASKED = { contexts: CONTEXTS, characters: CHARACTERS, times: TIMES };
const PARTS = Object.keys(ASKED);

/** A sandbox as n8n makes it, disposed of afterwards. */
async function inSandbox(ivm, use) {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  try {
    const context = await isolate.createContext();
    await context.global.set('global', context.global.derefInto());
    return await use(isolate, context);
  } finally {
    if (!isolate.isDisposed) isolate.dispose();
  }
}

/** Counts all threads of this process; isolated-vm's own clock goes on while others have the CPU. */
function cpuMs(since) {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

const OPTIONS = { timeout: LONGEST_MS };

/** What came of each part, and the milliseconds of CPU that it took. */
function measured(ivm, text, { cachedData, parts = PARTS } = {}) {
  return inSandbox(ivm, async (isolate, context) => {
    const seen = {};
    const ms = {};
    const part = async (name, work) => {
      const before = process.cpuUsage();
      seen[name] = await work();
      ms[name] = cpuMs(before);
    };
    const asks = (code) => context.evalClosure(code, [], OPTIONS);
    await part('begin', async () => {
      const script = await isolate.compileScript(text, cachedData ? { cachedData } : {});
      await script.run(context, OPTIONS);
      return [Boolean(script.cachedDataRejected), await asks(FIRST)];
    });
    for (const name of parts) await part(name, () => asks(ASKED[name]));
    return { seen, ms };
  });
}

/** V8's code cache of a bundle that has run and built the context of one expression. Synchronous, for n8n's own process. */
function rehearsed(ivm, text) {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  try {
    const context = isolate.createContextSync();
    context.global.setSync('global', context.global.derefInto());
    isolate.compileScriptSync(text).runSync(context);
    context.evalClosureSync(FIRST, [], { timeout: 5000 });
    // V8 finds the script that it has compiled already, with all functions that have run since.
    return isolate.compileScriptSync(text, { produceCachedData: true }).cachedData;
  } finally {
    isolate.dispose();
  }
}

/** A test that asks nothing would find everything the same. */
const tells = ({ seen }) =>
  seen.begin[1] === true &&
  seen.characters.includes('Bei ') &&
  seen.times.includes('1970-01-01T00:00:00.000Z') &&
  seen.contexts.startsWith('["\\"a\\""');

const total = ({ ms }) => Object.values(ms).reduce((sum, each) => sum + each);

/** Why a bundle cannot stand in for n8n's: null if it can. `gains`: the parts that have to be faster. */
function unfit(plain, other, gains) {
  const differing = Object.keys(plain.seen).find(
    (part) => JSON.stringify(plain.seen[part]) !== JSON.stringify(other.seen[part]),
  );
  if (differing !== undefined) return `a test of its ${differing} gave other results`;
  const slower = gains.find((part) => other.ms[part] > plain.ms[part] * MAX_SHARE.ofPart);
  if (slower !== undefined) return `a test of its ${slower} gained nothing`;
  return total(other) > total(plain) * MAX_SHARE.ofAll ? 'a test took longer with it' : null;
}

/** In which part each patch gains. */
const GAINS = {
  'lazy-character-map': 'begin',
  'zone-once': 'contexts',
  'warm-expressions': 'begin',
};

/**
 * `texts`: the bundle as each patch alone has it, and as all of them have it. A verdict as in expressions.cjs, which has each
 * patch once it is decided.
 */
async function judged(ivm, { bundle, alone, together, isWarm }, verdict = {}) {
  await measured(ivm, bundle, { parts: [] }); // The first sandbox of a process takes longer.
  const plain = await measured(ivm, bundle);
  const all = [...Object.keys(alone), ...(isWarm ? ['warm-expressions'] : [])];
  if (!tells(plain))
    return Object.fromEntries(
      all.map((name) => [name, ['unknown', 'this n8n has an unknown sandbox of expressions']]),
    );
  let best = { text: bundle, seen: plain };
  const attempt = async (names, text, cachedData) => {
    const gains = names.map((name) => GAINS[name]);
    const seen = await measured(ivm, text, { cachedData }).catch(({ message }) => message);
    const why =
      typeof seen === 'string' ? `its test failed (${seen})` : unfit(best.seen, seen, gains);
    if (why === null) best = { text, seen };
    // Those that are refused together are asked again, each alone.
    if (why === null || names.length === 1)
      for (const name of names) verdict[name] = why === null ? null : ['unknown', why];
    return why;
  };
  const names = Object.keys(alone);
  const why = names.length > 0 ? await attempt(names, together) : null;
  if (why !== null && names.length > 1) {
    for (const name of names) {
      if ((await attempt([name], alone[name])) === null) break;
    }
    for (const name of names) if (!(name in verdict)) verdict[name] = ['unknown', why];
  }
  if (isWarm) await attempt(['warm-expressions'], best.text, rehearsed(ivm, best.text));
  return verdict;
}

/** Ends the process with this as its answer, also while a sandbox is at work, which an orderly end would wait for. */
function answer(verdict) {
  writeSync(1, JSON.stringify(verdict));
  process.kill(process.pid, 'SIGKILL');
}

async function main([bundlePath, isolatedVm, ...names]) {
  const late = Object.fromEntries(names.map((name) => [name, ['unknown', LATE]]));
  const verdict = {};
  setInterval(() => cpuMs() > BUDGET_MS && answer({ ...late, ...verdict }), LOOK_EVERY_MS);
  const bundle = readFileSync(bundlePath, 'utf8');
  const changes = {};
  const alone = {};
  let together = bundle;
  for (const name of names) {
    if (name === 'warm-expressions') continue;
    changes[name] = require(`./${name}.cjs`);
    try {
      alone[name] = changes[name](bundle);
      together = changes[name](together);
    } catch (problem) {
      verdict[name] = [
        'unknown',
        `this n8n has an unknown bundle of expressions (${problem.message})`,
      ];
    }
  }
  const isWarm = names.includes('warm-expressions');
  const texts = { bundle, alone, together, isWarm };
  const judge = judged(require(isolatedVm), texts, verdict).catch(({ message }) =>
    Object.fromEntries(names.map((name) => [name, ['unknown', `its test failed (${message})`]])),
  );
  answer({ ...(await judge), ...verdict });
}

module.exports = { judged, LATE, measured, rehearsed };

if (require.main === module) void main(process.argv.slice(2));
