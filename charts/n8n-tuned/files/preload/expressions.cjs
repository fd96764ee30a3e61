// What the patches of expressions share. n8n compiles its bundle of libraries in each sandbox; this hands over the bundle with
// the changes of those patches, and a code cache in which what ran is compiled already. A bundle that is known is changed at
// once. One that is not known is changed if all patterns of a patch are in it, each once, and if a test gives the same results
// as without, faster: in a process of its own at the lowest priority, for 1 s of CPU at the most, so that n8n never waits for
// it. What came of it is kept as long as the pod, and what took too long is tested again at the next start. docs/chart/patches.md
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const { dirname, join } = require('node:path');
const {
  IN_FORCE,
  isKnownBundle,
  isLate,
  mayProve,
  onLoad,
  say,
  setState,
  sha256,
  states,
} = require('./in-force.cjs');
const { LATE, rehearsed } = require('./expressions-proof.cjs');

const BUNDLE = join('dist', 'bundle', 'runtime.iife.js');
const BRIDGE =
  /[\\/]@n8n[\\/]expression-runtime[\\/]dist[\\/](?:\w+[\\/])?bridge[\\/]isolated-vm-bridge\.js$/;
const PROOF = join(__dirname, 'expressions-proof.cjs');
/** In real time, of a process that gets what the others leave. */
const PATIENCE_MS = 120_000;
/** A test takes about 120 MB. Kubernetes kills a whole container that needs more than its limit, and not the test alone. */
const NEEDED_BYTES = 200e6;
const CGROUP = '/sys/fs/cgroup';

/** Those that are switched on: what each makes of the text of a bundle. */
const changes = new Map();
let isWarm = false;

/** The bundle as n8n has it, as it is handed over, and V8's cache for that. */
let plain;
let current;
const caches = new Map();

const names = () => [...changes.keys(), ...(isWarm ? ['warm-expressions'] : [])];

/** Takes over the changes of these patches, all of them or none. */
function change(accepted, state) {
  try {
    current = accepted.reduce((text, name) => changes.get(name)?.(text) ?? text, plain);
    for (const name of accepted) setState(name, state);
  } catch (problem) {
    for (const name of accepted) leave(name, 'failed', problem.message);
  }
}

function leave(name, state, why) {
  setState(name, state);
  say(name, `${why}, left as it is`);
}

/** Finds the bundle like n8n, from its bridge upwards. */
function bundleOf(bridge) {
  for (let folder = dirname(bridge); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, BUNDLE);
    if (fs.existsSync(path)) return path;
  }
  throw new Error(`there is no ${BUNDLE}`);
}

function begin(bridge) {
  const bundle = bundleOf(bridge);
  plain = fs.readFileSync(bundle, 'utf8');
  current = plain;
  if (isKnownBundle(plain)) return change(names(), 'known');
  if (mayProve) return prove(bundle, createRequire(bridge).resolve('isolated-vm'));
  for (const name of names())
    leave(name, 'unknown', 'this n8n has an unknown bundle of expressions');
}

/** A folder that only this user can write to: what it has decides what n8n runs. */
function verdictFile(isolatedVm) {
  const folder = join(os.tmpdir(), `n8n-tuned-${process.getuid?.() ?? 'user'}`);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = fs.lstatSync(folder);
  if (uid !== (process.getuid?.() ?? uid) || (mode & 0o22) !== 0)
    throw new Error(`${folder} belongs to others`);
  const own = fs.readdirSync(__dirname).filter((file) => file.endsWith('.cjs'));
  const texts = own.sort().map((file) => fs.readFileSync(join(__dirname, file), 'utf8'));
  const asked = [process.version, isolatedVm, names().join(), plain, ...texts];
  return join(folder, `${sha256(asked.join('\n'))}.json`);
}

const read = (file) => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined; // Nobody has tried it yet.
  }
};

function write(file, text) {
  const unready = `${file}.${process.pid}`;
  fs.writeFileSync(unready, text);
  fs.renameSync(unready, file);
}

/** A process, also where a later one has its number: with when it began, the 22nd field. Undefined where it is gone. */
function identity(pid) {
  try {
    const [, fields] = /^.*\) (.*)/s.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return `${pid} ${fields.split(' ')[19]}`;
  } catch {
    return undefined;
  }
}
const isAlive = (one) => identity(one.split(' ')[0]) === one;

/** Whether this process may use less memory than the machine has, as a container with a limit. */
function isLimited() {
  const bytes = process.constrainedMemory?.() ?? 0;
  return bytes > 0 && bytes < os.totalmem();
}

/**
 * What the container may still use. Node.js (libuv) takes the limit of version 1 and 2 of cgroups less what is in use, which
 * counts files that the kernel gives up when memory is short. Undefined where Node.js does not tell.
 */
function freeBytes() {
  const free = process.availableMemory?.();
  // Without a limit it is the machine's, where such files count as free.
  if (free === undefined || !isLimited()) return free;
  for (const [file, field] of [
    ['memory.stat', /^(?:in)?active_file (\d+)/gm],
    [join('memory', 'memory.stat'), /^total_(?:in)?active_file (\d+)/gm],
  ]) {
    try {
      const files = fs.readFileSync(join(CGROUP, file), 'utf8').matchAll(field);
      return [...files].reduce((sum, [, bytes]) => sum + Number(bytes), free);
    } catch {
      // The other version.
    }
  }
  return free;
}

/** Verdict: by the name of each patch, why it is left out, or null where it is proven. */
function follow(verdict) {
  change(
    names().filter((name) => verdict[name] === null),
    'proven',
  );
  for (const [name, why] of Object.entries(verdict)) if (why !== null) leave(name, ...why);
}

/**
 * Notes who tests, so that a container that is killed meanwhile does not try again for ever. The result takes the note away,
 * and the orderly end of the test or of n8n.
 */
function begins(file) {
  const begun = isLimited() ? identity(process.pid) : undefined;
  if (begun !== undefined) write(file, JSON.stringify({ begun }));
  const ended = () => {
    if (begun !== undefined && read(file)?.begun === begun) fs.rmSync(file);
  };
  process.once('exit', ended);
  return ended;
}

function prove(bundle, isolatedVm) {
  const without = (why) =>
    follow(Object.fromEntries(names().map((name) => [name, ['unknown', why]])));
  try {
    const file = verdictFile(isolatedVm);
    const { begun, ...verdict } = read(file) ?? {};
    if (begun !== undefined && !isAlive(begun)) return without('the self-test did not end');
    if (Object.keys(verdict).length > 0) return follow(verdict);
    const free = freeBytes();
    if (free < NEEDED_BYTES) {
      const megabytes = (bytes) => Math.floor(bytes / 1e6);
      const why = `the self-test needs ${megabytes(NEEDED_BYTES)} MB of free memory, and there are ${megabytes(free)} MB`;
      return without(why);
    }
    const ended = begun === undefined ? begins(file) : () => undefined;
    const words = [PROOF, bundle, isolatedVm, ...names()];
    const env = { N8N_TUNED_WITHOUT: names().join() };
    // Its answer counts, not how it ends.
    const child = execFile(process.execPath, words, { env, timeout: PATIENCE_MS }, (_, out) => {
      ended();
      if (!out.endsWith('}')) return without('the self-test did not end');
      const verdict = JSON.parse(out);
      follow(verdict);
      if (!Object.values(verdict).some((why) => why?.[1] === LATE)) write(file, out);
    });
    yieldTo(child);
  } catch (problem) {
    without(`this n8n's expressions could not be tested (${problem.message})`);
  }
}

/** n8n comes first, and ends without waiting for the child. */
function yieldTo(child) {
  for (const part of [child, child.stdin, child.stdout, child.stderr]) part.unref?.();
  try {
    os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
    fs.writeFileSync(`/proc/${child.pid}/oom_score_adj`, '1000');
  } catch {
    // Another system; the test has its limit of CPU there too.
  }
}

/** What n8n holds in place of isolated-vm's own objects, which are frozen, and those. */
const own = new WeakMap();
const ownOf = (value) => own.get(value) ?? value;

function standIn(target, replaced) {
  const calls = new Map(Object.entries(replaced));
  const proxy = new Proxy(target, {
    get(_, name) {
      const value = target[name];
      if (typeof value !== 'function') return value;
      if (!calls.has(name)) calls.set(name, (...given) => value.apply(target, given.map(ownOf)));
      return calls.get(name);
    },
  });
  own.set(proxy, target);
  return proxy;
}

/** isolated-vm for n8n's sandbox of expressions. */
function changed(ivm) {
  const isWarmed = () => isWarm && IN_FORCE.has(states()['warm-expressions']);

  function warmCache() {
    try {
      return rehearsed(ivm, current);
    } catch (problem) {
      leave('warm-expressions', 'failed', `the rehearsal failed (${problem.message})`);
      return undefined;
    }
  }

  /** The code and the options that V8 gets in place of n8n's. */
  function handedOver(code, options = {}) {
    if (code !== plain) return [code, options];
    const { produceCachedData, cachedData, ...rest } = options;
    if (!caches.has(current) && isWarmed()) caches.set(current, warmCache());
    const kept = caches.get(current);
    if (kept !== undefined) return [current, { ...rest, cachedData: kept }];
    // The cache that n8n has may be that of another text.
    return [current, { ...rest, produceCachedData: Boolean(produceCachedData || cachedData) }];
  }

  function compiled(script, code) {
    if (code !== plain) return script;
    if (script.cachedDataRejected && isWarmed())
      leave('warm-expressions', 'failed', 'V8 refused the cache');
    if (script.cachedDataRejected) caches.delete(current);
    if (script.cachedData !== undefined) caches.set(current, script.cachedData);
    return script;
  }

  class Isolate extends ivm.Isolate {
    compileScriptSync(code, options) {
      return standIn(compiled(super.compileScriptSync(...handedOver(code, options)), code), {});
    }
    async compileScript(code, options) {
      return standIn(compiled(await super.compileScript(...handedOver(code, options)), code), {});
    }
    // n8n that keeps no code cache has the context read the bundle as a text.
    evaluating(context) {
      return standIn(context, {
        evalSync: (code, options) =>
          code === plain
            ? this.compileScriptSync(code).runSync(context, options)
            : context.evalSync(code, options),
        eval: async (code, options) =>
          code === plain
            ? (await this.compileScript(code)).run(context, options)
            : context.eval(code, options),
      });
    }
    createContextSync(options) {
      return this.evaluating(super.createContextSync(options));
    }
    async createContext(options) {
      return this.evaluating(await super.createContext(options));
    }
  }
  return Object.create(ivm, { Isolate: { value: Isolate, enumerable: true } });
}

let isHooked = false;

function hook() {
  if (isHooked) return;
  isHooked = true;
  const find = (loaded, _, parent) => (BRIDGE.test(parent?.filename) ? loaded : undefined);
  onLoad(/^isolated-vm$/, find, (ivm, { parent }) => {
    try {
      begin(parent.filename);
    } catch (problem) {
      for (const name of names()) leave(name, 'failed', problem.message);
      return ivm;
    }
    return changed(ivm);
  });
}

/** Without a sandbox, n8n has no bundle to change. */
function awaitsBundle(name) {
  if (process.env.N8N_EXPRESSION_ENGINE === 'legacy') return setState(name, 'not needed');
  isLate(name);
  hook();
}

/** What is different in the text of the bundle; throws where it does not have what has to change, each once. */
function changesBundle(name, change) {
  changes.set(name, change);
  awaitsBundle(name);
}
function warms() {
  isWarm = true;
  awaitsBundle('warm-expressions');
}

module.exports = { changesBundle, warms };
