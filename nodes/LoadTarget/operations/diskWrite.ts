import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { Bounds } from '../../shared/bounds';
import { folderProperty, folderWithRoom } from '../world/folder';
import { mayCrashProperty, withRoomForDocument } from '../world/memoryRoom';
import { freshDocument } from '../world/turns';
import { booleanOf, numberOf, type Operation } from './operation';

const size: Bounds = { title: 'Size (KiB)', min: 1, max: 262_144 };

export const diskWrite: Operation = {
  option: {
    name: 'Disk Write',
    value: 'diskWrite',
    description: 'Write a new JSON document, return it, and remove the file in the background',
    action: 'Write a document to disk',
  },
  properties: [
    {
      displayName: 'Size (KiB)',
      name: 'sizeKiB',
      type: 'number',
      default: 100,
      typeOptions: { minValue: size.min, maxValue: size.max },
      description: 'Size of the document, in KiB of 1,024 bytes',
    },
    {
      displayName: 'Flush',
      name: 'flush',
      type: 'boolean',
      default: false,
      description:
        'Whether to wait until the document is on the disk. When off, the write ends in the page cache of the operating system.',
    },
    folderProperty,
    mayCrashProperty,
  ],
  async run(call) {
    const asked = {
      sizeKiB: numberOf(call, 'sizeKiB', size),
      flush: booleanOf(call, 'flush', 'Flush'),
    };
    const bytes = Math.round(asked.sizeKiB * 1024);
    return withRoomForDocument(call, bytes, async () => {
      const folder = await folderWithRoom(call, bytes);
      const { document, json } = await freshDocument(bytes, call.signal);
      const path = join(folder, `written-${randomUUID()}.json`);
      try {
        const file = await open(path, 'wx');
        try {
          for (const part of json) await file.write(part);
          if (asked.flush) await file.sync();
          const { size: written } = await file.stat();
          return {
            asked,
            achieved: { sizeKiB: written / 1024, path },
            fields: { document: document as unknown as IDataObject },
          };
        } finally {
          await file.close();
        }
      } finally {
        // Not awaited: the answer does not wait for it. A file that is already gone is as good.
        void rm(path, { force: true }).catch(() => undefined);
      }
    });
  },
};
