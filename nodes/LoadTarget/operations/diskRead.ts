import { readFile } from 'node:fs/promises';
import type { IDataObject } from 'n8n-workflow';
import type { Bounds } from '../../shared/bounds';
import { Mistake } from '../../shared/mistake';
import { parseInTurns } from '../pure/document';
import { documentPath, documentSet, forgetSet } from '../world/documentSet';
import { folderProperty } from '../world/folder';
import { mayCrashProperty, withRoomForDocument } from '../world/memoryRoom';
import { inTurns } from '../world/turns';
import { allowanceOf, requireMiB } from '../pure/allowance';
import { numberOf, type Operation } from './operation';

const size: Bounds = { title: 'Size (KiB)', min: 1, max: 262_144 };
const documents: Bounds = { title: 'Documents', min: 1, max: 10_000, integer: true };
/** All documents together. More than fits into the page cache of a large machine serves no test. */
const MAX_GIB = 16;

export const diskRead: Operation = {
  option: {
    name: 'Disk Read',
    value: 'diskRead',
    description: 'Read one of several prepared JSON documents, chosen at random',
    action: 'Read a document from disk',
  },
  properties: [
    {
      displayName: 'Size (KiB)',
      name: 'sizeKiB',
      type: 'number',
      default: 100,
      typeOptions: { minValue: size.min, maxValue: size.max },
      description: 'Size of each document, in KiB of 1,024 bytes',
    },
    {
      displayName: 'Documents',
      name: 'documents',
      type: 'number',
      default: 100,
      typeOptions: { minValue: documents.min, maxValue: documents.max },
      description:
        'How many documents to choose from. The first execution in each process writes them. They are removed when nobody has read them for 10 minutes, or when n8n stops.',
    },
    folderProperty,
    mayCrashProperty,
  ],
  async run(call) {
    const asked = {
      sizeKiB: numberOf(call, 'sizeKiB', size),
      documents: numberOf(call, 'documents', documents),
    };
    const bytes = Math.round(asked.sizeKiB * 1024);
    const count = asked.documents;
    if (bytes * count > MAX_GIB * 1024 ** 3) {
      const gib = Math.ceil((bytes * count) / 1024 ** 3);
      throw new Mistake(
        `'Documents' times 'Size (KiB)' must not be above ${MAX_GIB} GiB, but it is ${gib} GiB`,
      );
    }
    requireMiB(allowanceOf(process.env), (bytes * count) / 1024 ** 2);
    return withRoomForDocument(call, bytes, async () => {
      const chosen = Math.floor(Math.random() * count);
      const find = async (): Promise<string> =>
        documentPath(await documentSet(call, bytes, count), chosen);
      let path = await find();
      const text = await readFile(path, 'utf8').catch(async () => {
        forgetSet(call, bytes, count);
        path = await find();
        return await readFile(path, 'utf8');
      });
      return {
        asked,
        achieved: { sizeKiB: Buffer.byteLength(text) / 1024, path },
        fields: {
          document: (await inTurns(parseInTurns(text), call.signal)) as unknown as IDataObject,
        },
      };
    });
  },
};
