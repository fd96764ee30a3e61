// What all patches share: which code of n8n they know, whether each is in force, and one line about that once n8n listens.
// Scripts beside this one require it. docs/chart/patches.md
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const Module = require('node:module');
const { Server } = require('node:net');
const { dirname, join } = require('node:path');
const { setTimeout } = require('node:timers');

/**
 * known      the code that it finds is known, or it uses documented interfaces alone
 * proven     the code is not known, and a test in this container gave the same results, faster
 * waiting    n8n has not loaded that code yet
 * not needed n8n does not run that code
 * unknown    the code is not known, and n8n is left as it is
 * off        switched off
 * failed     the code is known, and the change did not work: n8n is left as it is
 */
const IN_FORCE = new Set(['known', 'proven']);
/** If a patch has several parts, the state that comes first here is that of the patch. */
const WORST = ['off', 'failed', 'unknown', 'waiting', 'not needed', 'proven', 'known'];

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const list = (name) => (process.env[name] ?? '').split(',').filter(Boolean);
const known = JSON.parse(fs.readFileSync(join(__dirname, 'known.json'), 'utf8'));
const admitted = new Set(list('N8N_TUNED_ADMITTED'));
/** proven: what proves itself is in force too. */
const mayProve = process.env.N8N_TUNED_PATCHES !== 'known';

const say = (name, what) => process.stderr.write(`n8n-tuned: ${name}: ${what}\n`);

/** By the name of each patch: its state by the names of its parts. */
const parts = new Map();

const stateOf = (name) => {
  const states = Object.values(parts.get(name));
  return WORST.find((state) => states.includes(state));
};
const states = () => Object.fromEntries([...parts.keys()].map((name) => [name, stateOf(name)]));

const setState = (name, state, part = name) => {
  const before = stateOf(name);
  parts.get(name)[part] = state;
  if (isTold && stateOf(name) !== before) tell([name]);
};

/** Which n8n a function is known of: whether its text is that of one in known.json, or was admitted by the user. */
const isKnown = (part, code) => {
  const hash = sha256(String(code));
  return known.functions[part]?.[hash] !== undefined || admitted.has(hash);
};
const isKnownBundle = (text) => {
  const hash = sha256(text);
  return known.bundles[hash] !== undefined || admitted.has(hash);
};

/** Patches whose code n8n loads when it first needs it. */
const lateOnes = new Set();

/** Installs a patch, unless it is switched off. Its parts wait until each says otherwise. */
function patch(name, names, install) {
  const isOff = list('N8N_TUNED_WITHOUT').includes(name);
  parts.set(name, Object.fromEntries(names.map((part) => [part, isOff ? 'off' : 'waiting'])));
  if (isOff) return;
  tellOnce();
  install();
}

/** A patch that uses documented interfaces alone. */
const plainPatch = (name, install) =>
  patch(name, [name], () => {
    install();
    setState(name, 'known');
  });

/**
 * Whether all these functions are known, which are what a part of a patch wraps and what that calls. Where one is not, a line
 * says so, and the part stays away.
 */
function knows(name, part, functions, otherwise) {
  const isUnknown = Object.entries(functions).some(([of, code]) => !code || !isKnown(of, code));
  setState(name, isUnknown ? 'unknown' : 'known', part);
  if (isUnknown) say(name, `${otherwise}, left as it is`);
  return !isUnknown;
}

const isBull = (loaded) =>
  typeof loaded === 'function' && loaded.prototype?.process && loaded.prototype.moveToActive;

/** Bull's class of queues, whatever n8n loads it as. */
const BULL = {
  file: /(^|[\\/])(bull|queue)([\\/]index)?(\.js)?$/,
  find: (loaded) => (isBull(loaded) ? loaded : undefined),
};

/** What Bull has under names as in known.json (Queue.add, Job.finished), beside the class that was found. */
function ofBull(names, Queue, { request, parent }) {
  const ofClass = (owner) =>
    owner === 'Queue'
      ? Queue
      : Module.createRequire(Module._resolveFilename(request, parent))(
          `bull/lib/${owner.toLowerCase()}`,
        );
  const codeOf = (name) => {
    const [owner, method] = name.split('.');
    try {
      return ofClass(owner).prototype[method];
    } catch {
      return undefined; // This Bull has it elsewhere.
    }
  };
  return Object.fromEntries(names.map((name) => [name, codeOf(name)]));
}

/**
 * Calls `use` once with what `find` finds in a module that n8n loads by a name that fits `file`, which may be nothing yet while
 * modules that need each other are being loaded. What it puts there stays, as putting back would drop what others have put on top.
 */
function onLoad(file, find, use) {
  const load = Module._load;
  let isDone = false;
  Module._load = function (request, parent, ...rest) {
    const loaded = load.call(this, request, parent, ...rest);
    if (isDone || !file.test(request)) return loaded;
    const found = find(loaded, request, parent);
    if (found === undefined) return loaded;
    isDone = true;
    return use(found, { loaded, request, parent }) ?? loaded;
  };
}

/** From when n8n serves on, it may take so long until it has loaded the rest of what it needs at its start. */
const LOADED_MS = 30_000;
const LOOK_EVERY_MS = 250;
let isHooked = false;
let isTold = false;

const tell = (names) => say('patches', names.map((name) => `${name} ${stateOf(name)}`).join(', '));

/** The version of the n8n that runs; undefined where its package is not found. */
function runningVersion(path) {
  const file = join(path, 'package.json');
  const { name, version } = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  if (name === 'n8n') return version;
  return path === dirname(path) ? undefined : runningVersion(dirname(path));
}

/** An image can hold another n8n than its tag says. */
function tellOtherVersion() {
  const { N8N_TUNED_RENDERED_FOR: expected } = process.env;
  try {
    const version = runningVersion(fs.realpathSync(process.argv[1] ?? '.'));
    if (!expected || version === undefined || version === expected) return;
    const what = `this is n8n ${version}, and the chart was rendered for ${expected}`;
    say('version', `${what}: set image.version`);
  } catch {
    // A package that cannot be read is no reason for n8n to end.
  }
}

/** Those of expressions wait for the first expression. */
const isLoading = (name) => stateOf(name) === 'waiting' && !lateOnes.has(name);

function tellOnceLoaded(untilMs) {
  const names = [...parts.keys()];
  if (Date.now() < untilMs && names.some(isLoading)) {
    setTimeout(tellOnceLoaded, LOOK_EVERY_MS, untilMs).unref();
    return;
  }
  isTold = true;
  tellOtherVersion();
  tell(names);
}

/** One line, once n8n serves at one of its ports and has loaded its own code. What is decided later gets a line of its own. */
function tellOnce() {
  if (isHooked) return;
  isHooked = true;
  const { listen } = Server.prototype;
  let isSeen = false;
  const { N8N_PORT = '5678', QUEUE_HEALTH_CHECK_PORT = '5678' } = process.env;
  Server.prototype.listen = function (...args) {
    this.once('listening', () => {
      if (isSeen || ![N8N_PORT, QUEUE_HEALTH_CHECK_PORT].includes(String(this.address()?.port)))
        return;
      isSeen = true;
      tellOnceLoaded(Date.now() + LOADED_MS);
    });
    return listen.apply(this, args);
  };
}

module.exports = {
  ...{ BULL, IN_FORCE, isKnownBundle, knows, mayProve, ofBull, onLoad, patch, plainPatch },
  ...{ isLate: (name) => lateOnes.add(name), say, setState, sha256, states },
};
