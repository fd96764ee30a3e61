import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bounds } from '../../shared/bounds';
import { randomDocument } from '../pure/document';
import { folderWithRoom } from '../world/folder';
import { numberOf, type Operation } from './operation';

const size: Bounds = { title: 'Size (KiB)', min: 1, max: 262_144 };
const documents: Bounds = { title: 'Documents', min: 1, max: 10_000, integer: true };

export const diskRead: Operation = {
  option: {
    name: 'Disk Read',
    value: 'diskRead',
    description: 'Read a random one of prepared JSON documents',
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
        'How many documents to choose from. The first execution prepares them; they stay on the disk for the next.',
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
      documents: numberOf(call, 'documents', documents),
    };
    const bytes = Math.round(asked.sizeKiB * 1024);
    const chosen = Math.floor(Math.random() * asked.documents);
    const find = (): Promise<string> =>
      prepared(call.parameter('folder'), bytes, asked.documents, chosen);
    let path = await find();
    const text = await readFile(path, 'utf8').catch(async () => {
      // Something cleaned the folder: the documents are prepared once more.
      ready.clear();
      path = await find();
      return await readFile(path, 'utf8');
    });
    return {
      asked,
      achieved: { sizeKiB: Buffer.byteLength(text) / 1024, path },
      fields: { document: JSON.parse(text) },
    };
  },
};

/** Sets of documents that are known to be complete, so that a read costs a read and nothing else. */
const ready = new Map<string, Promise<string>>();

async function prepared(
  parameter: unknown,
  bytes: number,
  count: number,
  chosen: number,
): Promise<string> {
  const key = `${String(parameter)}|${bytes}|${count}`;
  let folder = ready.get(key);
  if (folder === undefined) {
    folder = prepare(parameter, bytes, count);
    ready.set(key, folder);
    // Another try may succeed, once there is room.
    folder.catch(() => ready.delete(key));
  }
  return documentPath(await folder, bytes, chosen);
}

async function prepare(parameter: unknown, bytes: number, count: number): Promise<string> {
  const folder = await folderWithRoom(parameter, bytes * count);
  for (let index = 0; index < count; index += 1) {
    const path = documentPath(folder, bytes, index);
    if (await exists(path)) continue;
    // Renamed when whole: another worker on the same folder never reads a part.
    const part = `${path}.${process.pid}.part`;
    await writeFile(part, JSON.stringify(randomDocument(bytes, Math.random)));
    await rename(part, path);
  }
  return folder;
}

function documentPath(folder: string, bytes: number, index: number): string {
  return join(folder, `document-${bytes}-${index}.json`);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
