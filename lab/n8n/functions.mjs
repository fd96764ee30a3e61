// Prints the texts of functions of n8n, as the patches see them, from packages that nothing else was installed for: node
// lab/n8n/functions.mjs FOLDER CLASS.METHOD... Each module that a file asks for is a stand-in, so that classes come to be and
// nothing of them runs.
import fs from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';

/** Takes any use: it is called, constructed, extended, read. */
function standIn() {
  const anything = function () {};
  return new Proxy(anything, {
    get: (target, name) => {
      if (name === 'prototype') return target.prototype;
      if (name === Symbol.toPrimitive) return () => '';
      if (name === Symbol.iterator) return () => [][Symbol.iterator]();
      return name === 'then' ? undefined : standIn();
    },
    set: () => true,
    apply: (_, __, given) => (typeof given[0] === 'function' ? given[0] : standIn()),
    construct: () => standIn(),
  });
}

/** A file by itself; what it could export until it failed counts as well. */
function exportsOf(file) {
  const load = Module._load;
  const loaded = new Module(file, null);
  Module._load = () => standIn();
  try {
    loaded._compile(fs.readFileSync(file, 'utf8'), file);
  } catch {
    // The class may be there all the same.
  } finally {
    Module._load = load;
  }
  return loaded.exports;
}

function textIn(file, name, method) {
  const found = exportsOf(file);
  const owner =
    found?.[name] ?? (typeof found === 'function' && found.name === name ? found : undefined);
  const code = owner?.prototype?.[method];
  return typeof code === 'function' ? String(code) : undefined;
}

const [, , folder, ...names] = process.argv;
const files = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js') && !/(^|\/)(browser|migrations|bundle)\//.test(file))
  .map((file) => join(folder, file));

const wanted = new Map();
for (const name of names) {
  const [owner, method] = name.split('.');
  wanted.set(owner, [...(wanted.get(owner) ?? []), method]);
}
const texts = {};
for (const file of files) {
  const text = fs.readFileSync(file, 'utf8');
  for (const [owner, methods] of wanted) {
    const isThere = text.includes(`class ${owner} `) || text.includes(`${owner}.prototype.`);
    if (!isThere) continue;
    for (const method of methods) texts[`${owner}.${method}`] ??= textIn(file, owner, method);
  }
}
process.stdout.write(JSON.stringify(texts));
