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
      [`Node.js ${node} or newer, npm`, 'the command itself'],
      [
        `Go ${go} or newer`,
        `k6 is compiled from its locked sources. Your own k6 from ${ownK6} on is taken as well; tested with ${testedK6}`,
      ],
      [
        'Linux (Debian 12, Ubuntu) and root',
        'CPU and memory limits are set with cgroups, and missing Debian packages are installed. On macOS, or without root, you can do [less](#where-it-runs)',
      ],
      [`${diskGiB} GiB of free disk`, 'n8n, and what is downloaded and compiled for it'],
      [
        `about ${Math.round(seconds / 60)} minutes, the first time`,
        `measured with an empty cache on ${machine.split(';')[0] ?? ''} ([times](docs/records/times/README.md))`,
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
