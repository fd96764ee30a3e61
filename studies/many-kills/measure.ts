// What is lost of more than 100,000 requests while a worker is killed every minute, with recovery: two drills of 42 minutes.
import type { Study } from '../../cli/src/features/study/study';
import { waysIn } from '../drills/ledger';
import { measuredDrill } from '../drills/measured';
import type { Drilled } from '../drills/parts';
import { commandOf, isCurrent, PARTS, type KillsPart } from './parts';

export default {
  parts: PARTS,
  inside: 'parts/',
  isDone: ({ name }, records) => {
    const record = records.read(name) as Drilled | undefined;
    return record !== undefined && isCurrent(record);
  },
  measured: measuredDrill(commandOf, ({ fault }, csv) => ({
    ways: waysIn(
      csv,
      fault.done.map(({ tMs }) => tMs),
    ),
  })),
} satisfies Study<KillsPart>;
