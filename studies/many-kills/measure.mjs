// What is lost of more than 100,000 requests while a worker is killed every minute, with recovery: two drills of 42 minutes.
//
//   make build
//   node studies/many-kills/measure.mjs --list      what there is, what has a record, and how long it takes
//   node studies/many-kills/measure.mjs             the next drill without a record
//
// With SHORT=1 one is tried: two workers are killed, and the record is printed. An invalid drill is not kept.
import { waysIn } from '../drills/ledger.mjs';
import { measuredDrill } from '../drills/measured.mjs';
import { recordsOf } from '../archive.mjs';
import { measureParts } from '../in-parts.mjs';
import { commandOf, PARTS } from './parts.mjs';

await measureParts({
  parts: PARTS,
  kept: recordsOf('many-kills', 'parts/'),
  about: 'studies/many-kills/measure.mjs',
  shownOut: 'results/many-kills',
  whyNot: () => null,
  measured: measuredDrill(commandOf, ({ fault }, csv) => ({
    ways: waysIn(
      csv,
      fault.done.map(({ tMs }) => tMs),
    ),
  })),
});
