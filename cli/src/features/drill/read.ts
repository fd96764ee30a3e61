import { join } from 'node:path';
import { DRILL_FILE } from '../../record/find-records';
import { drillRecordSchema, type DrillRecord } from './record';
import { readRecordFile } from '../../record/parse';

export const readDrill = (folder: string): DrillRecord =>
  readRecordFile(join(folder, DRILL_FILE), {
    ...{ what: 'a drill', kind: 'drill', version: 1 },
    schema: drillRecordSchema,
  });
