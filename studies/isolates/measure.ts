// What a sandbox for expressions costs n8n, without and with our patches, in turns.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Part, Study } from '../../cli/src/features/study/study';
import { labPaths } from '../../cli/src/lab/paths';

const VERSION = '2.41.1';
const ROUNDS = 6;
const ISOLATES = 40;

const preloads = join(import.meta.dirname, '../../charts/n8n-tuned/files/preload');
const VARIANTS: [name: string, patches: string[]][] = [
  ['none', []],
  ['warm-expressions', ['warm-expressions']],
  ['lazy-character-map', ['lazy-character-map']],
  ['zone-once', ['zone-once']],
  ['lazy-character-map and zone-once', ['lazy-character-map', 'zone-once']],
  ['all three', ['lazy-character-map', 'warm-expressions', 'zone-once']],
];

const parts: Part[] = [{ name: 'record', seconds: 60 }];

export default {
  parts,
  async measured(_part, { isShort, signal }) {
    const { cache, node24 } = labPaths();
    const manifest = join(cache, 'n8n', VERSION, 'node_modules/n8n/package.json');
    const variants = VARIANTS.map(([patches, names]) => ({
      patches,
      options: names.flatMap((name) => ['--require', join(preloads, `${name}.cjs`)]),
      rounds: [] as unknown[],
    }));
    for (let round = 0; round < (isShort ? 1 : ROUNDS); round += 1) {
      // Forwards, then backwards, so that a steady drift of the machine cancels out.
      for (const { options, rounds } of round % 2 === 0 ? variants : [...variants].reverse()) {
        const script = join(import.meta.dirname, 'isolate.cjs');
        const words = [...options, script, manifest, String(ISOLATES)];
        const { stdout } = await promisify(execFile)(node24, words, { signal });
        rounds.push(JSON.parse(stdout));
      }
    }
    return {
      record: {
        ...{ n8n: VERSION, isolates: ISOLATES },
        variants: variants.map(({ patches, rounds }) => ({ patches, rounds })),
      },
      sentence: `${String(ISOLATES)} sandboxes with each of ${String(VARIANTS.length)} choices of patches`,
    };
  },
} satisfies Study;
