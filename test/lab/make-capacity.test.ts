// What `make capacity` does around its commands: a folder per run, the link to the latest, and which exit codes stop it.
// The recipe is the real one, in a folder in which the command, the installer and the cluster are stubs.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'make-capacity-'));
const calls = join(folder, 'calls');

/** A search that ends with the code that is asked for, and values that say which folder they are from. */
const COMMAND = `
echo "$*" >>calls
name=$1
workload=
while [ $# -gt 0 ]; do
  case $1 in
    --workload) workload=$2 ;;
    --out) out=$2 ;;
    --from) from=$2 ;;
    --write) write=$2 ;;
  esac
  shift
done
case $name in
  find)
    case $ENDS in *"$workload=busy"*) exit 3 ;; esac
    mkdir "$out/$workload"
    case $ENDS in *"$workload=1"*) exit 1 ;; *"$workload=3"*) exit 3 ;; esac ;;
  recommend) echo "from $from" >"$write" ;;
esac`;

/** Two runs would have to be seconds apart: each is given a time of its own. */
const DATE = `
echo >>times
printf '20261124T12000%sZ\\n' "$(wc -l <times | tr -d ' ')"`;

function program(name: string, body: string): void {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  program('n8n-tuned', COMMAND);
  program('bin/date', DATE);
  program('lab/install.sh', 'exit 0');
  program('lab/cluster/cluster', '[ "$1" != exec ] || { shift; exec "$@"; }');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Without what the make that runs the tests tells those below it. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !['MAKEFLAGS', 'MFLAGS', 'MAKELEVEL'].includes(name),
  ),
);

/** `ends`: exit codes of searches that are not 0, like last-node=3. */
function make(target: string, ends = ''): { code: number | null; said: string } {
  const options = ['--file', join(root, 'Makefile'), '--old-file', 'build'];
  const { status, stdout, stderr } = spawnSync(
    'make',
    [...options, target, 'N8N_TUNED=./n8n-tuned', 'RESULTS=results', 'WORKLOADS=last-node items'],
    {
      ...{ cwd: folder, encoding: 'utf8' },
      env: {
        ...environment,
        ENDS: ends,
        PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      },
    },
  );
  return { code: status, said: stdout + stderr };
}
const called = (): string[] => readFileSync(calls, 'utf8').trim().split('\n');

describe.each([
  ['capacity', 'results'],
  ['capacity-cluster', 'results-cluster'],
])('make %s', (target, results) => {
  const at = (...names: string[]): string => join(folder, results, ...names);
  const runs = (): string[] =>
    readdirSync(at())
      .filter((name) => name !== 'latest')
      .sort();

  it('searches for each workload, then writes values for the first one', () => {
    expect(make(target)).toMatchObject({ code: 0 });
    const [run = ''] = runs();
    expect(called().map((call) => call.replaceAll(`${results}/${run}`, 'RUN'))).toEqual([
      ...['last-node', 'items'].map((workload) =>
        expect.stringMatching(
          new RegExp(
            `^find (--target kubernetes )?--workload ${workload} --slo p95<300ms --slo errors<1% --budget \\S+( --wait-for-quiet \\S+)? --out RUN$`,
          ),
        ),
      ),
      'recommend --from RUN --workload last-node --write RUN/values.yaml',
    ]);
    expect(readdirSync(at('latest')).sort()).toEqual(['items', 'last-node', 'values.yaml']);
  });

  it('keeps the results of a run when it runs again, and latest leads to the newest', () => {
    expect([make(target).code, make(target).code]).toEqual([0, 0]);
    const [first = '', second = '', ...others] = runs();
    expect([first < second, others]).toEqual([true, []]);
    expect(lstatSync(at('latest')).isSymbolicLink()).toBe(true);
    expect(readlinkSync(at('latest'))).toBe(second);
    for (const run of [first, second]) {
      expect(readFileSync(at(run, 'values.yaml'), 'utf8')).toBe(`from ${results}/${run}\n`);
      expect(existsSync(at(run, 'items'))).toBe(true);
    }
  });

  it.each(['last-node=3', 'items=3', 'last-node=3 items=3'])(
    'goes on where a search has no sure answer: %s',
    (ends) => {
      expect(make(target, ends)).toMatchObject({ code: 0 });
      expect(called()).toHaveLength(3);
      expect(existsSync(at('latest/values.yaml'))).toBe(true);
    },
  );

  it.each([
    ['last-node=1', 1],
    ['items=1', 2],
    ['last-node=3 items=1', 2],
  ])('stops where a search fails, and leaves latest where it led to: %s', (ends, searches) => {
    make(target);
    const before = readlinkSync(at('latest'));
    rmSync(calls);
    expect(make(target, ends).code).toBe(2);
    expect(called().map((call) => call.split(' ')[0])).toEqual(
      Array.from({ length: searches }, () => 'find'),
    );
    expect(readlinkSync(at('latest'))).toBe(before);
    expect(runs()).toHaveLength(2);
  });
});

test('make capacity ends with a sentence, and leaves nothing, on a machine on which no search was made', () => {
  const { code, said } = make('capacity', 'last-node=busy');
  expect(code).toBe(2);
  expect(said).toContain('no values were written: nothing was measured');
  expect(said).toContain('Error 3');
  expect(called()).toHaveLength(1);
  expect(readdirSync(join(folder, 'results'))).toEqual([]);
});
