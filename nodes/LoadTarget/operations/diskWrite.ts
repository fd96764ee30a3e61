import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { Bounds } from '../../shared/bounds';
import { randomDocument } from '../pure/document';
import { folderWithRoom } from '../world/folder';
import { booleanOf, numberOf, type Operation } from './operation';

const size: Bounds = { title: 'Size (KiB)', min: 1, max: 262_144 };

export const diskWrite: Operation = {
  option: {
    name: 'Disk Write',
    value: 'diskWrite',
    description: 'Write a fresh JSON document, return it, remove it in the background',
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
        'Whether to wait until the disk has the document. When off, the write ends in the page cache of the operating system.',
    },
    {
      displayName: 'Folder',
      name: 'folder',
      type: 'string',
      default: '',
      placeholder: '/data/load-target',
      description:
        "Absolute path on the machine that runs n8n. Empty: a folder in the system's temporary folder.",
    },
  ],
  async run(call) {
    const asked = {
      sizeKiB: numberOf(call, 'sizeKiB', size),
      flush: booleanOf(call, 'flush', 'Flush'),
    };
    const bytes = Math.round(asked.sizeKiB * 1024);
    const folder = await folderWithRoom(call.parameter('folder'), bytes);
    const document = randomDocument(bytes, Math.random);
    const path = join(folder, `written-${randomUUID()}.json`);
    try {
      const file = await open(path, 'wx');
      try {
        await file.writeFile(JSON.stringify(document));
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
  },
};
