import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processName } from '../../../cli/src/linux/proc';
import { Kept, type KeptState } from '../../../cli/src/targets/kept';

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
