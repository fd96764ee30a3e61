// The first page: what a reader comes for, in this order, and commands that exist.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programOf } from '../../cli/src/program';
import type { FindRecord } from '../../cli/src/features/find/record';
import { sampleSearch } from '../support/sample-find';
import * as patches from '../../lab/generate/patches';
import { filled, pathOf, read as recordText } from '../../lab/generate/records';
import {
  caveatOfRecovery,
  lostInFaults,
  measuredDrills,
  stillRunning,
} from '../../lab/generate/studies/drills';
import { onRealN8n } from '../../lab/generate/studies/answers';
import * as output from '../../lab/generate/readme';

const root = join(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const readme = read('README.md');

test('it begins with a command, a picture and what is gained, and needs nothing big before "Try it here"', () => {
  const inOrder = [
    '# n8n-tuned',
    './n8n-tuned find --url',
    'src="docs/screenshots/',
    '<!-- gains: generated',
    '## Start here',
    '## Try it here',
    'git clone ',
    'make capacity',
    'make test',
    '## Why not n8n-tuned?',
    '## How sure are the answers?',
    '<!-- output: generated',
    '## How much load can my n8n sustain?',
    '## Deploy it tuned',
    '## Break it, and count what was lost',
    '## Documentation',
  ].map((part) => readme.indexOf(part));
  expect(inOrder).not.toContain(-1);
  expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
  expect(readme.slice(0, readme.indexOf('## Try it here'))).not.toMatch(/\bGo \d|\broot\b|10 min/);
});

test('it names the n8n versions whose code all patches know, whatever it named before', () => {
  const known = `n8n ${patches.knownToAll(patches.knownCode())} runs with all patches`;
  expect(readme).toContain(known);
  for (const before of ['2.39.0', '2.39.0, 2.40.1 to 2.40.7'])
    expect(output.withPatchedVersions(`On n8n ${before} runs with all patches.`)).toBe(
      `On ${known}.`,
    );
  expect(() => output.withPatchedVersions('It runs.')).toThrow('which n8n runs with all patches');
});

describe('the n8n that each patch knows', () => {
  const entry = (n8n: string): { n8n: string } => ({ n8n });
  const { bundles, functions } = patches.knownCode();
  const known = {
    bundles: { a: entry('2.40.1 to 2.41.3'), b: entry('2.39.10') },
    functions: Object.fromEntries(
      Object.keys(functions).map((name) => [name, { a: entry('2.41.0 to 2.41.3, 2.39.10') }]),
    ),
  };

  test('is what all of its functions, in any part of their entries, are known for', () => {
    const less = {
      ...known.functions,
      'Queue.toKey': { a: entry('2.39.0 to 2.41.1'), b: entry('2.41.3') },
    };
    expect(patches.knownVersions({ ...known, functions: less })).toMatchObject({
      'zone-once': '2.39.10, 2.40.1 to 2.41.3',
      'read-once': '2.39.10, 2.41.0 to 2.41.3',
      'worker-guard': '2.39.10, 2.41.0 to 2.41.1, 2.41.3',
      // The chart does not load it before 2.41.
      'keep-stalled': '2.41.0 to 2.41.3',
      'keep-alive': 'every n8n',
    });
    expect(patches.knownToAll({ ...known, functions: less })).toBe('2.41.0 to 2.41.1, 2.41.3');
  });

  test('is what the page of patches says', () => {
    const page = read('docs/chart/patches.md');
    const rows = Object.entries(patches.knownVersions({ bundles, functions }));
    expect(rows.length).toBeGreaterThan(10);
    for (const [name, versions] of rows) {
      expect(page).toMatch(new RegExp(`^\\| [^|]+\\| \\[?\`${name}\`.*\\| ${versions} +\\|$`, 'm'));
    }
  });

  test('is refused where the page has no row for a patch', () => {
    const page = read('docs/chart/patches.md').replace('`zone-once`', '`zone`');
    expect(() => patches.patchesPage(page, known)).toThrow('has no row for zone-once');
  });
});

describe('a figure of one n8n is never shown for another', () => {
  /** What the records say that a text links to, however they hold it. */
  const versionsIn = (text: string): string[] => {
    const files = [...text.matchAll(/\]\((?:\.\.\/)*(studies\/[^)]+\.jsonl\.gz#[^)]+)\)/g)];
    expect(files.length).toBeGreaterThan(0);
    const told = files.flatMap(([, href = '']) =>
      [...recordText(pathOf(href)).matchAll(/"versions":\s*\{[^}]*"n8n":\s*"([^"]+)"/g)].map(
        ([, version]) => version ?? '',
      ),
    );
    return [...new Set(told)];
  };
  const named = (text: string): string[] => [
    ...new Set([...text.matchAll(/\bn8n (\d+\.\d+\.\d+)/g)].map(([, version]) => version ?? '')),
  ];
  const partOf = (page: string, from: string, to: string): string =>
    page.slice(page.indexOf(from), page.indexOf(to, page.indexOf(from)));

  test.each([
    ["README's gains", partOf(readme, '<!-- gains: generated', '<!-- end of gains')],
    ["README's search", partOf(readme, '<!-- output: generated', '<!-- end of output')],
    [
      'the table of settings',
      partOf(read('docs/only-settings.md'), '# Only the settings', '## Effects and costs'),
    ],
  ])('%s: each version of the records is named, and no other', (_, text) => {
    expect(named(text)).toEqual(versionsIn(text));
  });

  test('the page of drills and this one give the same sums', () => {
    const page = read('studies/drills/README.md');
    for (const configuration of ['as-it-comes', 'defaults', 'recovery'] as const) {
      expect(page.split('\n').find((line) => line.startsWith('**'))).toContain(
        lostInFaults(configuration),
      );
      expect(readme).toContain(lostInFaults(configuration));
    }
  });
});

describe('what was lost with recovery', () => {
  const drills = measuredDrills().filter(({ configuration }) => configuration === 'recovery');
  const outdated = (isOutdated: (index: number) => boolean): typeof drills =>
    drills.map((one, index) => ({ ...one, doneTwice: 2, isOutdated: isOutdated(index) }));

  test('is said to be of earlier scripts, and what was done twice, while any drill of it is', () => {
    expect(caveatOfRecovery(outdated(() => true))).toBe(
      ` The recovery drills used older chart scripts or older drill settings, and the work of ${String(2 * drills.length)} requests was done twice.`,
    );
    expect(caveatOfRecovery(outdated((index) => index < 3))).toMatch(
      new RegExp(`^ 3 of ${String(drills.length)} recovery drills used`),
    );
    expect(caveatOfRecovery(outdated(() => false))).toBe('');
  });

  test('is nowhere shown without it', () => {
    const files = ['README.md', 'docs/measured.md', 'studies/drills/README.md'];
    const told = files.filter((file) => read(file).includes(lostInFaults('recovery')));
    expect(told).toEqual(['README.md', 'studies/drills/README.md']);
    for (const file of told) expect(read(file)).toContain(caveatOfRecovery());
  });
});

describe('what was still running when a drill ended', () => {
  test('is told beside the sums, by configuration, and nothing is where all had ended', () => {
    const drills = measuredDrills().filter(({ configuration }) => configuration === 'recovery');
    const running = (requests: number): typeof drills =>
      drills.map((one) => {
        const { ledger } = one.drill;
        const classes = { ...ledger.classes, running: { ...ledger.classes.running, requests } };
        return { ...one, drill: { ...one.drill, ledger: { ...ledger, classes } } };
      });
    expect(stillRunning(running(0))).toBe('');
    expect(stillRunning(running(2))).toBe(
      ` The lost do not include requests that were still running when a drill ended: ${String(2 * drills.length)} with recovery.`,
    );
  });

  test('is on every page that has the sum of default n8n for readers', () => {
    for (const file of ['README.md', 'docs/measured.md']) {
      expect(read(file)).toContain(lostInFaults('as-it-comes'));
      expect(read(file)).toContain(stillRunning());
    }
  });
});

test('each row of what is gained says what it counts, and what default n8n is there', () => {
  const gains = /<!-- gains: [^]*<!-- end of gains/.exec(readme)?.[0] ?? '';
  expect(gains).not.toMatch(/requests lost/);
  expect(gains).toMatch(/error or no response, in \d+ rollouts of webhook processors/);
  expect(gains).toContain(
    "this chart with n8n's own values of `webhook.shutdown.closeConnections`",
  );
  expect(gains).toMatch(
    /The second row sets \d+ variables; .* three of them alone gave [\d.]+x \(/,
  );
});

describe('searches of a real n8n', () => {
  test.each(['README.md', 'docs/measured.md'])('are in %s beside the known servers', (file) => {
    expect(read(file)).toContain(onRealN8n());
  });

  test('no page promises an answer in five minutes', () => {
    const pages = ['README.md', 'docs/get-started.md', 'site/pages.ts'].map(read).join('\n');
    expect(pages).not.toMatch(
      /answer in (about )?five minutes|need five minutes|takes five minutes/i,
    );
    expect(readme).toContain(output.output());
    expect(output.output()).toMatch(/ arrivals, and took [\d.]+ minutes\./);
  });
});

test.each([
  ['README.md', /The first row was measured on [^]*?\n/],
  ['docs/measured.md', /The same comparison on .*/],
])('the ratio of another day is named in %s with each of its records', (file, pattern) => {
  const told = pattern.exec(read(file))?.[0] ?? '';
  expect(told).toContain('studies/versions/results.jsonl.gz#2.41.1-last-node-regular');
  expect(told).toContain('studies/tuning/results.jsonl.gz#tuning/sweep');
});

test('"Start here" has five entries, each with a link', () => {
  const part = /## Start here\n([^]*?)\n## /.exec(readme)?.[1] ?? '';
  const entries = part.split(/^\d\. /m).slice(1);
  expect(entries).toHaveLength(5);
  for (const entry of entries) expect(entry).toMatch(/^\*\*[^*]+\*\*[^]*\]\(/);
});

test('each command and each of its options exists', () => {
  const { commands } = programOf();
  const joined = readme.replace(/\\\n\s*/g, ' ');
  const used = [...joined.matchAll(/(?:\.\/|`)n8n-tuned ([a-z]+)([^\n`]*)/g)];
  expect(used.length).toBeGreaterThanOrEqual(6);
  for (const [, name, rest = ''] of used) {
    const command = commands.find((one) => one.name() === name);
    expect({ name, isThere: command !== undefined }).toEqual({ name, isThere: true });
    const known = command?.options.map(({ long }) => long) ?? [];
    for (const [option] of rest.matchAll(/--[a-z-]+/g)) {
      // A command of drill has options of its own.
      if (name !== 'drill') expect(known).toContain(option);
    }
  }
});

/** Records and the charts of others name releases of their own. */
const NOT_OURS = /^studies\//;
const HELM = /\bhelm (?:diff )?(?:install|upgrade|template)(?: -[^\s`]+)* ([a-z][\w-]*) (\S+)/g;

test('every command of Helm names the same release of n8n, and the same one beside it of what loads it', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !NOT_OURS.test(file));
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(HELM)].map(([, release = '', chart = '']) => ({
      page,
      release,
      chart,
    })),
  );
  expect(named.length).toBeGreaterThan(8);
  const wanted = (chart: string): string => (chart.endsWith('n8n-load') ? 'load' : 'n8n');
  expect(named.filter(({ release, chart }) => release !== wanted(chart))).toEqual([]);
});

describe.each(['README.md', 'CONTRIBUTING.md', 'RELEASING.md'])('%s', (page) => {
  const text = read(page);
  const words = (pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, word]) => word ?? '');

  test('names targets of make that exist', () => {
    const targets = new Set(read('Makefile').match(/^[a-z-]+(?=:)/gm));
    const used = words(/(?:^|`) *make ([a-z-]+)/gm);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((target) => !targets.has(target))).toEqual([]);
  });

  test('names files that exist', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
    const isThere = (path: string): boolean => tracked.some((file) => file.includes(path));
    const tests = words(/--testPathPatterns ([\w/.-]+)/g);
    const shown = words(/--show-only (\S+)/g);
    const scripts = words(/tsx ([\w/-]+\.ts)/g);
    expect([...tests, ...shown, ...scripts].filter((path) => !isThere(path))).toEqual([]);
  });
});

test('a part is written between its marks, and a page without them is refused', () => {
  const mark = '<!-- a: generated by lab/generate/readme.ts -->';
  const page = `one\n${mark}\nold\n<!-- end of a -->\ntwo`;
  expect(filled(page, { a: 'new' })).toBe(`one\n${mark}\n\nnew\n\n<!-- end of a -->\ntwo`);
  expect(() => filled('one', { a: 'new' })).toThrow(/no place for a/);
});

describe('what the command prints', () => {
  const printed = (record: FindRecord): string => output.outputOf(record, 'find.json');
  const command = ['find', '--workload', 'last-node', '--slo', 'p95<300ms', '--budget', '5m'];
  const found = { ...sampleSearch(), command: [...command, '--out', 'results/capacity/now'] };

  test('follows the command as it was recorded, with its budget, without its folder', () => {
    expect(printed(found)).toContain(
      "$ ./n8n-tuned find --workload last-node --slo 'p95<300ms' --budget 5m\nFOUND",
    );
    const first = { ...found, command: ['find', '--out', 'here', ...command.slice(1)] };
    expect(printed(first)).toContain("--slo 'p95<300ms' --budget 5m\nFOUND");
  });

  test('is the verdict, the capacity, what to plan with and the speed of the machine', () => {
    const lines = printed(found).split('\n');
    const names = /^(FOUND|Capacity|Plan with|Speed|Breaks first|Limited by)/;
    expect(lines.filter((line) => names.test(line))).toEqual([
      'FOUND    n8n sustains 40 req/s of last-node.',
      'Capacity            40/s (between 38 and 44), confirmed at full length',
      expect.stringMatching(/^Plan with {11}24\.3\/s \(80% of the lower end/),
      expect.stringMatching(/^Speed {15}16 ms of main CPU per request/),
    ]);
    expect(printed({ ...found, arrivals: 'random' })).toMatch(
      /^The search ran on 2026-11-20 .* and random arrivals, and took [\d.]+ minutes\./m,
    );
  });

  test('is refused where the search is not sure of its answer', () => {
    const unsure = { ...found, verdict: 'inconclusive' as const };
    expect(() => printed(unsure)).toThrow(
      'find.json is inconclusive: only a search that found its answer is shown',
    );
  });
});

test('its pictures are in the repository', () => {
  const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, file]) => file ?? '');
  expect(pictures).toHaveLength(4);
  for (const picture of pictures) expect(existsSync(join(root, picture))).toBe(true);
});

test('every figure of what was found has a record', () => {
  const rows = /<!-- findings: [^>]*-->\n([^]*?)<!-- end of findings/
    .exec(readme)?.[1]
    ?.match(/^\| .*$/gm);
  const findings = rows?.slice(2) ?? [];
  expect(findings.length).toBeGreaterThan(5);
  expect(
    findings.filter((row) => !/\[record\]\([^)]+\.(json|jsonl\.gz#[^)]+)\)/.test(row)),
  ).toEqual([]);
});

// How long the lab and the tests take: what docs/records/times/README.md says is what docs/records/times says.
const times = read('docs/records/times/README.md').replace(/\s+/g, ' ');
const records = ['cold', 'warm'].map((name) => read(`docs/records/times/${name}.tsv`));

const factOf = (record: string, name: string): string =>
  new RegExp(`^# ${name}: (.*)$`, 'm').exec(record)?.[1] ?? '';

test('each table has its whole title', () => {
  for (const record of records) expect(times).toContain(`## ${factOf(record, 'title')} `);
});

test('the time from nothing is that of what is installed and that of the tests', () => {
  const [installing = 0, testing = 0] = records.map((record) =>
    factOf(record, 'total')
      .split(' + ')
      .map((stage) => Number(new RegExp(`^${stage}\t(\\d+)`, 'm').exec(record)?.[1]))
      .reduce((sum, seconds) => sum + seconds, 0),
  );
  const [all, install, tests] = [installing + testing, installing, testing].map(
    (seconds) => `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`,
  );
  expect(times).toContain(
    `takes ${install} to install what it needs, and ${tests} for its tests: ${all}.`,
  );
});
