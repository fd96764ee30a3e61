// n8n compiles its bundle of libraries for expressions in each isolate from V8's code cache, which it fills before the
// bundle has run: by then V8 has compiled nothing but the outermost function, and compiles the rest anew in each isolate.
// With this the cache is filled once per process, from an isolate of its own in which the bundle has run and built the
// context of one expression. The code that runs is the same. docs/chart/patches.md
const { createHash } = require('node:crypto');
const Module = require('node:module');

const BUNDLES = new Set([
  // n8n 2.40.1 to 2.41.3 (@n8n/expression-runtime 0.31.1 and 0.32.0)
  '7ee2ef16c09871fddffd26281d05be77c4caca1127bb1acf21d919b28f348dab',
  // the same with lazy-character-map.cjs, with zone-once.cjs, and with both
  'e9666ba37fe637621e47b98b6ac30ed18aaf4a377d82b5f3c83c90399b6700e8',
  'c11ea47e7479f0de94c5e95ee3f4db89d227587af81d6d507d45143d0fb10073',
  '3382a69d127dd0eb1629287c936d8f6e8df5288919222a9355acec81a35da3d1',
]);

// What the first expression of an execution runs, on an item with one field.
const REHEARSAL = `
  const item = { __isObject: true, __keys: ['a'] };
  const context = buildContext({
    getValueAtPath: (path) => (path.at(-1) === 'a' ? 'a' : item),
    getArrayElement: () => item,
    callHost: () => item,
  }, 'UTC');
  '$json' in context;
  __prepareForTransfer({ a: context.$json.a, b: extend('a', 'isEmpty', []), c: context.$now });
  return true;`;

const say = (what) => process.stderr.write(`n8n-tuned: warm-expressions: ${what}\n`);
const known = new Map();
let codeCache;
let isOff = false;

function isKnown(code) {
  if (typeof code !== 'string') return false;
  if (!known.has(code)) {
    known.set(code, BUNDLES.has(createHash('sha256').update(code).digest('hex')));
    if (!known.get(code))
      say('this n8n has another bundle of expressions than those known, left as it is');
  }
  return known.get(code);
}

function rehearse(ivm, compileScriptSync, code) {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  try {
    const context = isolate.createContextSync();
    context.global.setSync('global', context.global.derefInto());
    compileScriptSync.call(isolate, code).runSync(context);
    context.evalClosureSync(REHEARSAL, [], { timeout: 5000 });
    // V8 finds the script that it has compiled already, with all functions that have run since.
    return compileScriptSync.call(isolate, code, { produceCachedData: true }).cachedData;
  } finally {
    isolate.dispose();
  }
}

function switchOff(why) {
  isOff = true;
  codeCache = undefined;
  say(`${why}, n8n fills its own cache`);
}

/** isolated-vm for n8n's sandbox of expressions; its own classes are frozen. */
function warmed(ivm) {
  const { compileScriptSync } = ivm.Isolate.prototype;

  /** n8n's options, with our cache where n8n uses one. */
  function withCache(code, options) {
    const wantsCache = options?.produceCachedData || options?.cachedData;
    if (isOff || !wantsCache || !isKnown(code)) return options;
    try {
      codeCache ??= rehearse(ivm, compileScriptSync, code);
    } catch (error) {
      switchOff(`the rehearsal failed (${error.message})`);
      return options;
    }
    return { ...options, produceCachedData: false, cachedData: codeCache };
  }

  function checked(script) {
    if (script.cachedDataRejected && !isOff) switchOff('V8 refused the cache');
    return script;
  }

  class Isolate extends ivm.Isolate {
    compileScriptSync(code, options) {
      return checked(super.compileScriptSync(code, withCache(code, options)));
    }
    async compileScript(code, options) {
      return checked(await super.compileScript(code, withCache(code, options)));
    }
  }
  return Object.create(ivm, { Isolate: { value: Isolate, enumerable: true } });
}

const BRIDGE =
  /[\\/]@n8n[\\/]expression-runtime[\\/]dist[\\/]\w+[\\/]bridge[\\/]isolated-vm-bridge\.js$/;
function install() {
  const load = Module._load;
  Module._load = function (request, parent, ...rest) {
    const loaded = load.call(this, request, parent, ...rest);
    return request === 'isolated-vm' && BRIDGE.test(parent?.filename) ? warmed(loaded) : loaded;
  };
}

if (!process.env.N8N_TUNED_WITHOUT?.split(',').includes('warm-expressions')) install();
