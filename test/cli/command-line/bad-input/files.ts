/** What may lie where the command expects a good file. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { REQUESTS_HEAD, requestRow, SAMPLES_HEAD, sampleRow } from '../../../../cli/src/record/csv';
import { sampleRequests, sampleRun } from '../../../support/sample-run';

/** Makes something at a path. */
export type Make = (path: string) => void;

export const text =
  (content: string | Uint8Array): Make =>
  (path) => {
    writeFileSync(path, content);
  };
export const json = (content: unknown): Make => text(JSON.stringify(content));

const NOISE = Uint8Array.from({ length: 4096 }, (_, index) => (index * 7919 + (index >> 3)) % 256);

/** What is no plain file, or holds nothing that a person wrote. Each with a word of why it is refused. */
export const ODD: Record<string, [Make, RegExp]> = {
  'a named pipe': [
    (path) => {
      execFileSync('mkfifo', [path]);
    },
    /it is a named pipe/,
  ],
  'a folder': [
    (path) => {
      mkdirSync(path);
    },
    /it is a folder/,
  ],
  'a link to a device without end': [
    (path) => {
      symlinkSync('/dev/zero', path);
    },
    /it is a device/,
  ],
  'a link to itself': [
    (path) => {
      symlinkSync(path, path);
    },
    /loop|no folder|no record|no such file/,
  ],
  '300 MiB': [
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 300 * 1024 * 1024);
    },
    /larger than/,
  ],
};

export const noise = text(NOISE);
export const utf16 = text(Buffer.from('\uFEFF{"schemaVersion":3}', 'utf16le'));
export const deep = text('['.repeat(200_000));

/** A whole run, of which `changed` makes another one. */
export function aRun(
  folder: string,
  changed: (record: Record<string, unknown>) => unknown = (record) => record,
): void {
  mkdirSync(folder, { recursive: true });
  const data = sampleRun();
  const record = JSON.parse(JSON.stringify(data.record)) as Record<string, unknown>;
  json(changed(record))(join(folder, 'run.json'));
  const requests = REQUESTS_HEAD + sampleRequests().slice(0, 50).map(requestRow).join('');
  writeFileSync(join(folder, 'requests.csv.gz'), gzipSync(requests));
  writeFileSync(
    join(folder, 'samples.csv'),
    SAMPLES_HEAD + data.samples.slice(0, 50).map(sampleRow).join(''),
  );
}

export const put = (path: string, make: Make): void => {
  mkdirSync(dirname(path), { recursive: true });
  make(path);
};
