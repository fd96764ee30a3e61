// Prints the texts of functions of n8n, as the patches see them, from packages that nothing else was installed for:
//
//   npx tsx lab/n8n/functions.ts FOLDER CLASS.METHOD...
//
// Each module that a file asks for is a stand-in, so that classes come to be and nothing of them runs.
import fs from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';

/** What Node.js has and its types do not tell: how a module is loaded and compiled. */
interface Loader {
  new (
    file: string,
    parent: null,
  ): { _compile(code: string, file: string): void; exports: unknown };
  _load: (...given: readonly unknown[]) => unknown;
}
const Loaded = Module as unknown as Loader;

/** Takes any use: it is called, constructed, extended, read. */
function standIn(): object {
  const anything = function (): void {
    // Nothing of a class runs.
  };
  return new Proxy(anything, {
    get: (target, name): unknown => {
      if (name === 'prototype') return target.prototype;
      if (name === Symbol.toPrimitive) return () => '';
      if (name === Symbol.iterator) return () => [].values();
      return name === 'then' ? undefined : standIn();
    },
    set: () => true,
    apply: (_target, _self, given: readonly unknown[]) =>
      typeof given[0] === 'function' ? given[0] : standIn(),
    construct: () => standIn(),
  });
}

/** A file by itself; what it could export until it failed counts as well. */
function exportsOf(file: string): unknown {
  const load = Loaded._load;
  const loaded = new Loaded(file, null);
  Loaded._load = standIn;
  try {
    loaded._compile(fs.readFileSync(file, 'utf8'), file);
  } catch {
    // The class may be there all the same.
  } finally {
    Loaded._load = load;
  }
  return loaded.exports;
}

/** A file exports classes by their names, or is one itself. */
interface Exported {
  name?: unknown;
  prototype?: Record<string, unknown>;
  [name: string]: unknown;
}

function textIn(file: string, name: string, method: string): string | undefined {
  const found = exportsOf(file) as Exported | null | undefined;
  const isOwner = found?.name === name && typeof found === 'function';
  const owner = (found?.[name] ?? (isOwner ? found : undefined)) as Exported | undefined;
  const code = owner?.prototype?.[method];
  return typeof code === 'function' ? String(code) : undefined;
}

const [, , folder = '', ...names] = process.argv;
const files = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js') && !/(^|\/)(browser|migrations|bundle)\//.test(file))
  .map((file) => join(folder, file));

const wanted = new Map<string, string[]>();
for (const name of names) {
  const [owner = '', method = ''] = name.split('.');
  wanted.set(owner, [...(wanted.get(owner) ?? []), method]);
}
const texts: Record<string, string | undefined> = {};
for (const file of files) {
  const text = fs.readFileSync(file, 'utf8');
  for (const [owner, methods] of wanted) {
    const isThere = text.includes(`class ${owner} `) || text.includes(`${owner}.prototype.`);
    if (!isThere) continue;
    for (const method of methods) texts[`${owner}.${method}`] ??= textIn(file, owner, method);
  }
}
process.stdout.write(JSON.stringify(texts));
