// What the settings decide that a fault is about: locks of jobs, the guard of a worker, how long n8n waits for Redis, how often it
// tries to reach PostgreSQL, the grace in which a worker may finish, the age at which recovery retries.
//
//   make build
//   node studies/drill-settings/measure.mjs --list                     what there is, and what has a record
//   node studies/drill-settings/measure.mjs --within 70m --at-once 4   as many as fit, four at a time
//
// A part is one drill, as those of studies/drills; an invalid one says nothing and is not kept.
import { recordsOf } from '../archive.mjs';
import { measureParts } from '../in-parts.mjs';
import { measuredDrill } from '../drills/measured.mjs';
import { commandOf, PARTS } from './parts.mjs';

await measureParts({
  parts: PARTS,
  kept: recordsOf('drill-settings', 'parts/'),
  about: 'studies/drill-settings/measure.mjs',
  shownOut: 'results/drill-settings',
  maxAtOnce: 4,
  whyNot: () => null,
  measured: measuredDrill(commandOf),
});
