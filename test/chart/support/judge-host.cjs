// Has the patches of expressions judged as in a pod, each time with another change in what a patch makes of n8n's bundle. Reads
// {bundle, isolatedVm, folder, mutants: [[name of the patch, text, text in its place]]}, and writes a verdict for each.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

process.env.N8N_TUNED_WITHOUT = 'lazy-character-map,zone-once';
const given = JSON.parse(readFileSync(0, 'utf8'));
const { judged } = require(join(given.folder, 'expressions-proof.cjs'));
const ivm = require(given.isolatedVm);
const bundle = readFileSync(given.bundle, 'utf8');

async function main() {
  const verdicts = [];
  for (const [name, from, to] of given.mutants) {
    const right = require(join(given.folder, `${name}.cjs`))(bundle);
    const text = to === null ? `${bundle} ` : right.replace(from, () => to);
    const isChanged = text !== right;
    const verdict = await judged(ivm, { bundle, alone: { [name]: text }, together: text });
    verdicts.push({ isChanged, why: verdict[name] });
  }
  process.stdout.write(JSON.stringify(verdicts), () => process.kill(process.pid, 'SIGKILL'));
}

void main();
