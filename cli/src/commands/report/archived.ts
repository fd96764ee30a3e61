/** Records in the archive of a study, as `report` takes them. */
import { basename, dirname, join, resolve } from 'node:path';
import { namedArchive, unpackNamed } from '../../record/archive';
import { isRecordFile } from '../../record/find-records';
import { printJson, printLines } from '../../ui/print';

/**
 * The folders to report on. A record of an archive is unpacked to results/records/STUDY first. What has no report is
 * printed: the ids of a whole archive, the record of a study's own script.
 */
export const reportedFolders = (names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const named = namedArchive(name);
    if (named === null) return [name];
    const { file, archive, id } = named;
    if (id === null) printLines([...archive.keys()]);
    else if (isRecordFile(`${basename(id)}.json`)) {
      return [unpackNamed(named, join('results/records', basename(dirname(resolve(file)))))];
    } else printJson(archive.get(id)?.record);
    return [];
  });
