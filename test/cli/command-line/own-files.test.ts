/** A file of the user's is never replaced: whichever option names it, whatever it holds. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { writtenFile, type RecommendOptions } from '../../../cli/src/features/recommend/command';
import { programOf } from '../../../cli/src/program';
import { Mistake } from '../../../cli/src/ui/exit';
import { forgetAll, know } from '../../../cli/src/ui/known-secrets';
import { sampleSearch } from '../../support/sample-find';
import { runs } from '../../support/properties';

let folder: string;
let searches: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'own-files-'));
  searches = join(folder, 'searches');
  mkdirSync(join(searches, 'one'), { recursive: true });
  writeFileSync(join(searches, 'one', 'find.json'), JSON.stringify(sampleSearch()));
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});

afterEach(() => {
  jest.restoreAllMocks();
  forgetAll();
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = 0;
});

const run = (words: readonly string[]): Promise<unknown> =>
  programOf()
    .parseAsync([...words], { from: 'user' })
    .catch((error: unknown) => error);

/** Every place that a user can name a file to be written, and the words before its name. */
const WRITES: Record<string, () => string[]> = {
  'recommend --write': () => ['recommend', '--from', searches, '--write'],
  'report --csv': () => ['report', searches, '--csv'],
  'sample --csv': () => [...SAMPLE, '--csv'],
  'sample --plot': () => [...SAMPLE, '--plot'],
};
const SAMPLE = ['sample', '--pid', String(process.pid), '--interval', '50ms', '--duration', '0.2s'];

/** Those that are only read. */
const READS = [
  'clean --kubeconfig',
  'doctor --kubeconfig',
  ...['recommend --compose', 'recommend --values'],
  'sweep --file',
  'migrate --database',
  'twin --from-execution',
  ...['--rules', '--tls-cert', '--tls-key'].map((flag) => `stand-in ${flag}`),
  ...['up', 'run', 'find', 'drill'].flatMap((name) => [
    ...[`${name} --n8n-program`, `${name} --compose`],
  ]),
  ...['up', 'run', 'find', 'compare', 'sweep', 'drill', 'recommend'].flatMap((name) =>
    ['--kubeconfig', '--values', '--chart', '--topology', '--workflow', '--start-file'].map(
      (flag) => `${name} ${flag}`,
    ),
  ),
];

test('every option that takes a file is known here as read or as written', () => {
  const options = programOf().commands.flatMap((command) =>
    command.options
      .filter(({ flags, hidden }) => /file/i.test(flags.replace(/^\S+/, '')) && !hidden)
      .map(({ long }) => `${command.name()} ${long ?? ''}`),
  );
  expect(options.filter((one) => !(one in WRITES) && !READS.includes(one))).toEqual([]);
  expect(options).toEqual(expect.arrayContaining(Object.keys(WRITES)));
});

describe.each(Object.entries(WRITES))('%s', (option, words) => {
  it('leaves a file alone that n8n-tuned did not write, and names --force', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (content) => {
        const file = join(folder, 'mine');
        writeFileSync(file, content);
        const error = await run([...words(), file]);
        expect(error).toBeInstanceOf(Mistake);
        expect((error as Mistake).message).toContain(`${file} already exists`);
        expect((error as Mistake).message).toContain('--force');
        expect(new Uint8Array(readFileSync(file))).toEqual(content);
      }),
      { numRuns: runs(20) },
    );
  });

  it('replaces it with --force, and its own file and an empty one without, unless measurements would be lost', async () => {
    const file = join(folder, 'mine');
    writeFileSync(file, 'production: values\n');
    expect(await run([...words(), file, '--force'])).not.toBeInstanceOf(Error);
    expect(readFileSync(file, 'utf8')).not.toContain('production');
    const again = await run([...words(), file]);
    if (option === 'sample --csv') {
      expect((again as Mistake).message).toBe(
        `${file} already exists, and contains measurements: name another file with --csv, or replace this file with --force.`,
      );
    } else expect(again).not.toBeInstanceOf(Error);
    writeFileSync(file, '');
    expect(await run([...words(), file])).not.toBeInstanceOf(Error);
    expect(readFileSync(file, 'utf8')).not.toBe('');
  });

  it.each([
    ['a folder', () => folder, 'is a folder'],
    ['a device', () => '/dev/null', 'is a device'],
    ['a folder that is not there', () => join(folder, 'no', 'file'), 'there is no folder'],
    ['a file in a file', () => '/etc/passwd/x', 'there is no folder /etc/passwd'],
  ])('refuses %s', async (__, path, because) => {
    const error = await run([...words(), path(), '--force']);
    expect(error).toBeInstanceOf(Mistake);
    expect((error as Mistake).message).toContain(because);
  });
});

test.each([
  ['values', []],
  ['a copy of a Compose file', ['--compose']],
])('%s that recommend wrote and the user completed stay, but with --force', async (_, given) => {
  const compose = join(folder, 'compose.yml');
  const main = 'n: { image: n8nio/n8n }\n  w: { image: n8nio/n8n, command: worker }';
  writeFileSync(compose, `services:\n  ${main}\n`);
  const file = join(folder, 'recommended.yaml');
  const words = ['recommend', '--from', searches, ...given.flatMap((flag) => [flag, compose])];
  expect(await run([...words, '--write', file])).not.toBeInstanceOf(Error);
  expect(await run([...words, '--write', file])).not.toBeInstanceOf(Error);
  const completed = `${readFileSync(file, 'utf8')}# My host comes here.\n`;
  writeFileSync(file, completed);
  const error = await run([...words, '--write', file]);
  expect((error as Mistake).message).toBe(
    `${file} already exists, and was edited after n8n-tuned wrote it: name another file with --write, or replace this file with --force.`,
  );
  expect(readFileSync(file, 'utf8')).toBe(completed);
  expect(await run([...words, '--write', file, '--force'])).not.toBeInstanceOf(Error);
  expect(readFileSync(file, 'utf8')).not.toContain('My host');
  // Its own copy is a Compose file too.
  if (given.length === 0) return;
  const next = join(folder, 'next.yml');
  const again = ['recommend', '--from', searches, '--compose', file, '--write', next];
  expect(await run(again)).not.toBeInstanceOf(Error);
  expect(readFileSync(next, 'utf8').match(/sha256:/g)).toHaveLength(1);
});

test('an index page that is not ours stays, and nothing is written beside it', async () => {
  const index = join(searches, 'index.html');
  writeFileSync(index, '<!doctype html><title>My own page</title>');
  const error = await run(['report', searches]);
  expect((error as Mistake).message).toContain(`${index} already exists`);
  expect(readFileSync(index, 'utf8')).toContain('My own page');
  expect(existsSync(join(searches, 'one', 'report.html'))).toBe(false);
});

test.each([
  ['./values.yaml', {}, 'values.recommended.yaml'],
  ['a Compose file', { compose: 'docker-compose.yml' }, 'docker-compose.recommended.yaml'],
])('recommend leaves %s to its owner: its own file has another name', (_, given, file) => {
  const command = programOf().commands.find((one) => one.name() === 'recommend');
  expect(writtenFile({ ...command?.opts<RecommendOptions>(), ...given } as RecommendOptions)).toBe(
    file,
  );
});

test('a copy of a Compose file keeps its secrets as they are, and lets nobody else read them', async () => {
  const [mine, copy] = [join(folder, 'compose.yml'), join(folder, 'copy.yml')];
  know('of-the-database');
  const secret = 'DB_POSTGRESDB_PASSWORD=of-the-database';
  const worker = 'w: { image: n8nio/n8n, command: worker }';
  const main = `n: { image: n8nio/n8n, environment: [${secret}] }`;
  writeFileSync(mine, `services: { ${main}, ${worker} }\n`, { mode: 0o600 });
  const words = ['recommend', '--from', searches, '--compose', mine, '--write', copy];
  expect(await run(words)).not.toBeInstanceOf(Error);
  expect(readFileSync(copy, 'utf8')).toContain(secret);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
});
