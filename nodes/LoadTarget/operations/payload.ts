import { randomFillSync } from 'node:crypto';
import type { Bounds } from '../../shared/bounds';
import { Mistake } from '../../shared/mistake';
import { randomText, textsInTurns } from '../pure/document';
import { inTurns } from '../world/turns';
import { mayCrashOf, mayCrashProperty, MIB, withRoom } from '../world/memoryRoom';
import { choiceOf, numberOf, type Call, type Operation, type Outcome } from './operation';

const count: Bounds = { title: 'Items', min: 1, max: 1_000_000, integer: true };
const itemBytes: Bounds = { title: 'Bytes per Item', min: 0, max: 67_108_864, integer: true };
const binaryMiB: Bounds = { title: 'Size (MiB)', min: 0, max: 512 };
/** All items of one call together: n8n keeps them in memory, and copies them more than once. */
const MAX_BYTES = 512 * MIB;
/** V8 puts texts of up to 128 KiB on pages of 256 KiB: at worst one per page, so half of it is lost. */
const TEXT_FACTOR = 2;
/** Objects and references around the text of one item, rounded up. */
const ITEM_OVERHEAD_BYTES = 500;
/** The file, and the text in base64 that n8n makes of it where it keeps files in memory. */
const BINARY_FACTOR = 1 + 4 / 3;

export const payload: Operation = {
  option: {
    name: 'Payload',
    value: 'payload',
    description: 'Return many or large items, or binary data',
    action: 'Return a payload',
  },
  properties: [
    {
      displayName: 'Payload Type',
      name: 'payloadKind',
      type: 'options',
      default: 'items',
      options: [
        { name: 'Binary', value: 'binary', description: 'One item with a binary file' },
        { name: 'Items', value: 'items', description: 'Items, each with a text' },
      ],
      description: 'What to return',
    },
    {
      displayName: 'Items',
      name: 'items',
      type: 'number',
      default: 100,
      typeOptions: { minValue: count.min, maxValue: count.max },
      displayOptions: { show: { payloadKind: ['items'] } },
      description: 'How many items to return',
    },
    {
      displayName: 'Bytes per Item',
      name: 'itemBytes',
      type: 'number',
      default: 1000,
      typeOptions: { minValue: itemBytes.min, maxValue: itemBytes.max },
      displayOptions: { show: { payloadKind: ['items'] } },
      description: 'Length of the text in each item',
    },
    {
      displayName: 'Size (MiB)',
      name: 'binaryMiB',
      type: 'number',
      default: 2,
      typeOptions: { minValue: binaryMiB.min, maxValue: binaryMiB.max },
      displayOptions: { show: { payloadKind: ['binary'] } },
      description: 'Size of the file, in MiB of 1,048,576 bytes',
    },
    mayCrashProperty,
  ],
  async run(call) {
    return choiceOf(call, 'payloadKind', 'Payload Type', ['items', 'binary']) === 'items'
      ? manyItems(call)
      : binaryFile(call);
  },
};

async function manyItems(call: Call): Promise<Outcome> {
  const asked = {
    payloadKind: 'items',
    items: numberOf(call, 'items', count),
    itemBytes: numberOf(call, 'itemBytes', itemBytes),
  };
  if (asked.items * asked.itemBytes > MAX_BYTES) {
    throw new Mistake(
      `'Items' times 'Bytes per Item' must not be above ${MAX_BYTES} bytes, but it is ${asked.items * asked.itemBytes}`,
    );
  }
  const need = {
    kind: 'objects' as const,
    sizeMiB: (asked.items * (asked.itemBytes * TEXT_FACTOR + ITEM_OVERHEAD_BYTES)) / MIB,
    mayCrash: mayCrashOf(call),
    because: 'The text of an item may take twice its length in memory.',
    factor: TEXT_FACTOR,
  };
  return withRoom(need, async () => {
    letters ??= Buffer.from(randomText(LETTERS_BYTES, Math.random), 'latin1');
    const work = textsInTurns(asked.items, asked.itemBytes, letters, Math.random);
    const [first, ...moreItems] = (await inTurns(work, call.signal)).map((text) => ({ text }));
    return {
      asked,
      achieved: { items: asked.items, bytes: asked.items * asked.itemBytes },
      fields: first ?? {},
      moreItems,
    };
  });
}

/** Texts are cut from a buffer of this size. */
const LETTERS_BYTES = 256 * 1024;
let letters: Buffer | undefined;

function* randomBytes(bytes: number): Generator<undefined, Buffer> {
  const whole = Buffer.allocUnsafe(bytes);
  for (let from = 0; from < bytes; from += MIB) {
    if (from > 0) yield;
    randomFillSync(whole, from, Math.min(MIB, bytes - from));
  }
  return whole;
}

async function binaryFile(call: Call): Promise<Outcome> {
  const asked = { payloadKind: 'binary', binaryMiB: numberOf(call, 'binaryMiB', binaryMiB) };
  const bytes = Math.round(asked.binaryMiB * MIB);
  const need = {
    kind: 'buffers' as const,
    sizeMiB: asked.binaryMiB * BINARY_FACTOR,
    factor: BINARY_FACTOR,
    mayCrash: mayCrashOf(call),
  };
  return withRoom(need, async () => {
    const data = await call.binary(
      await inTurns(randomBytes(bytes), call.signal),
      'payload.bin',
      'application/octet-stream',
    );
    return { asked, achieved: { bytes }, binary: { data } };
  });
}
