// Loaded first: notes the texts that isolated-vm compiles, whoever asks for it.
const Module = require('node:module');

const compiled = [];
globalThis.compiled = compiled;
const load = Module._load;
let noting;

Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (request !== 'isolated-vm') return loaded;
  class Isolate extends loaded.Isolate {
    compileScriptSync(code, options) {
      compiled.push({ code, hasCache: options?.cachedData !== undefined });
      return super.compileScriptSync(code, options);
    }
    async compileScript(code, options) {
      compiled.push({ code, hasCache: options?.cachedData !== undefined });
      return super.compileScript(code, options);
    }
  }
  noting ??= Object.create(loaded, { Isolate: { value: Isolate, enumerable: true } });
  return noting;
};
