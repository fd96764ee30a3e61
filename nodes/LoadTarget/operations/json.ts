import type { IDataObject } from 'n8n-workflow';
import type { Bounds } from '../../shared/bounds';
import { mayCrashProperty, withRoomForDocument } from '../world/memoryRoom';
import { freshDocument } from '../world/turns';
import { numberOf, type Operation } from './operation';

const size: Bounds = { title: 'Size (KiB)', min: 1, max: 262_144 };

export const json: Operation = {
  option: {
    name: 'JSON',
    value: 'json',
    description: 'Build a new JSON document and serialize it',
    action: 'Build a JSON document',
  },
  properties: [
    {
      displayName: 'Size (KiB)',
      name: 'sizeKiB',
      type: 'number',
      default: 100,
      typeOptions: { minValue: size.min, maxValue: size.max },
      description: 'Size of the document as compact JSON, in KiB of 1,024 bytes',
    },
    mayCrashProperty,
  ],
  async run(call) {
    const sizeKiB = numberOf(call, 'sizeKiB', size);
    const bytes = Math.round(sizeKiB * 1024);
    return withRoomForDocument(call, bytes, async () => {
      const { document, json: parts } = await freshDocument(bytes, call.signal);
      return {
        asked: { sizeKiB },
        achieved: {
          sizeKiB: parts.reduce((length, part) => length + part.length, 0) / 1024,
          records: document.records.length,
        },
        fields: { document: document as unknown as IDataObject },
      };
    });
  },
};
