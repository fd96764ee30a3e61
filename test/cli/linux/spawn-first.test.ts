import { getPriority, setPriority } from 'node:os';
import { spawnFirst } from '../../../cli/src/linux/spawn-first';

const mayRaise = ((): boolean => {
  const usual = getPriority();
  try {
    setPriority(usual - 1);
    setPriority(usual);
    return true;
  } catch {
    return false;
  }
})();

async function nicenessOfChild(): Promise<number> {
  const child = spawnFirst('cat', ['/proc/self/stat'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: process.env,
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  // After the name: state is 0, nice 16.
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16]);
}

test('a process goes before the others where that is allowed, and this one stays where it was', async () => {
  const before = getPriority();
  expect(await nicenessOfChild()).toBe(mayRaise ? -10 : before);
  expect(getPriority()).toBe(before);
});
