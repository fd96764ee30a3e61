// What a sandbox for expressions costs n8n, without and with our patches, in turns.
//   make lab && node studies/isolates/measure.mjs        about a minute
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cache } from '../../lab/cache.mjs';
import { commandOf } from '../command-of.mjs';
import { recordsOf } from '../archive.mjs';

const VERSION = '2.41.1';
const ROUNDS = 6;
const ISOLATES = 40;

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const manifest = join(cache, 'n8n', VERSION, 'node_modules/n8n/package.json');

const patches = (...names) =>
  names.flatMap((name) => ['--require', path(`../../charts/n8n-tuned/files/preload/${name}.cjs`)]);
const variants = [
  { name: 'none', options: [] },
  { name: 'warm-expressions', options: patches('warm-expressions') },
  { name: 'lazy-character-map', options: patches('lazy-character-map') },
  { name: 'zone-once', options: patches('zone-once') },
  {
    name: 'lazy-character-map and zone-once',
    options: patches('lazy-character-map', 'zone-once'),
  },
  {
    name: 'all three',
    options: patches('lazy-character-map', 'warm-expressions', 'zone-once'),
  },
].map((variant) => ({ ...variant, rounds: [] }));

const loadAverageAtStart = loadavg()[0];
for (let round = 0; round < ROUNDS; round += 1) {
  // Forwards, then backwards, so that a steady drift of the machine cancels out.
  for (const { options, rounds } of round % 2 === 0 ? variants : variants.toReversed()) {
    const args = [...options, path('isolate.cjs'), manifest, String(ISOLATES)];
    rounds.push(JSON.parse(execFileSync(join(cache, 'bin/node24'), args, { encoding: 'utf8' })));
  }
}

const kept = variants.map(({ name, rounds }) => ({ patches: name, rounds }));
const head = {
  when: new Date().toISOString(),
  command: commandOf(import.meta.filename),
  n8n: VERSION,
  isolates: ISOLATES,
  loadAverageAtStart,
};
recordsOf('isolates').write('record', { ...head, variants: kept });
