// What a machine must have, as the lab itself asks for it, and how long the first install took.
import { pinned, readVersions } from '../../../cli/src/lab/paths';
import { read, root, table } from '../records';

export function needs(): string {
  const go = matched('lab/kinds/go.sh', /install Go ([\d.]+) or later/);
  const ownK6 = matched('lab/tools.sh', /^tool_k6\(\) \{[^}]*own_from=(\d+\.\d+)/m);
  const testedK6 = pinned(readVersions(root), 'K6_VERSION').replace(/^v/, '');
  const diskGiB = Number(matched('lab/steps.sh', /^MIN_FREE_MIB=(\d+)/m)) / 1024;
  const node = matched('cli/package.json', /"node": ">=([\d.]+)"/);
  const { seconds, machine } = firstInstall();
  return table(
    ['you need', 'why'],
    [
      [`Node.js ${node} or newer, npm`, 'to run the command'],
      [
        `Go ${go} or newer`,
        `to compile k6 from its locked sources. You can also use your own k6 ${ownK6} or newer; tested with ${testedK6}`,
      ],
      [
        'Linux (Debian 12, Ubuntu) and root',
        'to set CPU and memory limits with cgroups, and to install missing Debian packages. On macOS or without root, [some targets do not work](#where-it-runs)',
      ],
      [`${diskGiB} GiB of free disk`, 'for n8n and the tools that are downloaded and compiled'],
      [
        `about ${Math.round(seconds / 60)} minutes, the first time`,
        `to fill the empty cache; measured on ${machine.split(';')[0] ?? ''} ([times](docs/records/times/README.md))`,
      ],
    ],
  );
}

function matched(file: string, pattern: RegExp): string {
  const [, value] = pattern.exec(read(file)) ?? [];
  if (value === undefined) throw new Error(`${file} does not say ${String(pattern)} any more`);
  return value;
}

/** The first `make capacity` with an empty cache. */
function firstInstall(): { machine: string; seconds: number } {
  const record = read('docs/records/times/cold.tsv');
  const [, machine] = /^# machine: (.*)$/m.exec(record) ?? [];
  const [, seconds] = /^make capacity[^\t]*\t(\d+)\tok$/m.exec(record) ?? [];
  if (machine === undefined || seconds === undefined) throw new Error('no time of make capacity');
  return { machine, seconds: Number(seconds) };
}
