import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import fc from 'fast-check';
import { register } from '../../../cli/src/commands/down';
import { processName } from '../../../cli/src/linux/proc';
import { takeKeepersWords } from '../../../cli/src/commands/up';
import { Kept, type KeptState } from '../../../cli/src/targets/kept';
import { withN8n, type Up } from '../../../studies/up';

const cache = mkdtempSync(join(tmpdir(), 'n8n-tuned-kept-'));
const before = process.env.N8N_TUNED_CACHE;
beforeAll(() => {
  process.env.N8N_TUNED_CACHE = cache;
});

afterAll(() => {
  if (before === undefined) delete process.env.N8N_TUNED_CACHE;
  else process.env.N8N_TUNED_CACHE = before;
  rmSync(cache, { recursive: true });
});

const state = (keeper: KeptState['keeper']): KeptState => ({
  keeper,
  baseUrl: 'http://127.0.0.1:5678',
  versions: {},
  topology: null,
  processes: [],
  metrics: [],
  redis: null,
  postgresql: null,
});

test('what up left up is known as long as its very process lives', () => {
  const kept = new Kept('some');
  kept.prepare();
  const self = processName(process.pid);
  if (self === null) throw new Error('/proc does not know this process');

  kept.write(state(self));
  expect(kept.read()?.keeper).toEqual(self);

  // The pid was given to another process since.
  kept.write(state({ ...self, startedAtMs: self.startedAtMs - 10 }));
  expect(kept.read()).toBeNull();
});

test('nobody else may read it: it has the passwords of the stores and of the owner', () => {
  const kept = new Kept('private');
  mkdirSync(join(cache, 'up'), { recursive: true });
  chmodSync(join(cache, 'up'), 0o755);
  kept.prepare();
  expect(statSync(join(cache, 'up')).mode & 0o777).toBe(0o700);
  const self = processName(process.pid);
  if (self === null) throw new Error('/proc does not know this process');
  kept.write(state(self));
  expect(statSync(join(cache, 'up', 'private.json')).mode & 0o777).toBe(0o600);
});

test.each(['a'.repeat(41), 'Staging', '-a', 'a b', '', '../a'])(
  'what is not a name is told what a name is: %j',
  (name) => {
    expect(() => new Kept(name)).toThrow(
      `'${name}' is not a name: use at most 40 lower-case letters, digits and dashes`,
    );
  },
);

test('a name has up to 40 characters', () => {
  expect(new Kept('a'.repeat(40)).read()).toBeNull();
});

describe('an n8n of a study, where a user has one of the name that the study gives it', () => {
  const log = join(cache, 'calls.log');
  const program = join(cache, 'program.cjs');
  const argument = process.argv[1] ?? '';
  beforeAll(() => {
    const write = `require('node:fs').appendFileSync(${JSON.stringify(log)}, process.argv[3] + '\\n')`;
    writeFileSync(program, write);
    process.argv[1] = program;
  });
  afterAll(() => {
    process.argv[1] = argument;
  });

  test('the name that it has is no name that a user can give, and what is stopped is that one', async () => {
    const self = processName(process.pid);
    if (self === null) throw new Error('/proc does not know this process');
    const started = new Set<string>();
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,39}$/);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.constant('comparison-process'), name), async (given) => {
        const users = new Kept(given);
        users.prepare();
        users.write(state(self));
        rmSync(log, { force: true });
        const call = <Printed>([, , own = '']: readonly string[]) => {
          expect(new Kept(own).read()).toBeNull();
          expect(() => new Kept(own).claim()).toThrow(`'${own}' is a name of a study`);
          process.env['N8N_TUNED_STUDY'] = '1';
          new Kept(own).claim().end();
          delete process.env['N8N_TUNED_STUDY'];
          expect(started.has(own)).toBe(false);
          started.add(own);
          return Promise.resolve({ code: 0, record: { baseUrl: own } as Printed, ending: '' });
        };
        const own = await withN8n({ call }, { name: given, words: [] }, ({ baseUrl }: Up) =>
          Promise.resolve(baseUrl),
        );
        expect(readFileSync(log, 'utf8')).toBe(`${own}\n`);
        expect(users.read()?.keeper).toEqual(self);
      }),
    );
  });
});

test('the process that stays has the words of its command from its environment, and passes them on to nobody', () => {
  const argv = ['node', 'cli.js'];
  takeKeepersWords(argv);
  expect(argv).toEqual(['node', 'cli.js']);
  process.env['N8N_TUNED_KEEPER'] = JSON.stringify(['up', '--env', 'KEY=a secret']);
  takeKeepersWords(argv);
  expect(argv).toEqual(['node', 'cli.js', 'up', '--env', 'KEY=a secret']);
  expect(process.env['N8N_TUNED_KEEPER']).toBeUndefined();
});

test('an instance that ends just before it is taken down is down', async () => {
  const kept = new Kept('ending');
  kept.prepare();
  const self = processName(process.pid);
  if (self === null) throw new Error('/proc does not know this process');
  kept.write(state(self));
  jest.spyOn(process, 'kill').mockImplementation(() => {
    kept.remove();
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
  });
  const printed: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  try {
    const program = new Command();
    register(program);
    await program.parseAsync(['node', 'n8n-tuned', 'down', 'ending']);
  } finally {
    jest.restoreAllMocks();
  }
  expect(printed.join('')).toBe('n8n at http://127.0.0.1:5678 is down.\n');
});
