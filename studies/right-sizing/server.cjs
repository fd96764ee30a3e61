// Three small applications, each with a JSON document of 100 KiB, as n8n's workloads json, disk-read and disk-write have:
//   GET /json     makes one on the fly and responds with it
//   GET /read     responds with one of twenty prepared ones, read from disk at random
//   GET /write    makes one, writes it to disk and responds with its size
const { createServer } = require('node:http');
const { mkdirSync, renameSync, writeFileSync } = require('node:fs');
const { readFile, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const BYTES = 100 * 1024;
const DOCUMENTS = 20;
const RECORD = { name: 'a record like many others', tags: ['a', 'b', 'c'], isActive: true };
const RECORDS = Math.ceil(BYTES / JSON.stringify({ id: 1000, ...RECORD, value: 0.5 }).length);

const document = () => {
  const records = Array.from({ length: RECORDS }, (_, id) => ({
    ...{ id, ...RECORD },
    value: Math.random(),
  }));
  return JSON.stringify({ records });
};

// What a process writes is bounded, as the disk is: each has names of its own, which it uses again.
const folder = join(tmpdir(), 'documents');
mkdirSync(folder, { recursive: true });
const pathOf = (n) => join(folder, `${n}.json`);
for (let n = 0; n < DOCUMENTS; n += 1) {
  const draft = pathOf(`${n}-${process.pid}`);
  writeFileSync(draft, document());
  renameSync(draft, pathOf(n));
}
let written = 0;

const applications = {
  '/json': () => document(),
  '/read': () => readFile(pathOf(Math.floor(Math.random() * DOCUMENTS)), 'utf8'),
  '/write': async () => {
    const text = document();
    written = (written + 1) % DOCUMENTS;
    await writeFile(pathOf(`written-${process.pid}-${written}`), text);
    return JSON.stringify({ bytes: text.length });
  },
};

createServer((request, response) => {
  Promise.resolve(applications[request.url]?.() ?? null)
    .then((text) => {
      response.statusCode = text === null ? 404 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(text ?? '{}');
    })
    .catch((error) => {
      console.error(error);
      response.statusCode = 500;
      response.end();
    });
}).listen(Number(process.env.PORT), '127.0.0.1');
