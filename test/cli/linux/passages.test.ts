import { closedAbove, packageOf, passages, quoted } from '../../../cli/src/linux/passages';

/** Root's home and a folder in a user's are closed. */
const mode = (path: string): number =>
  ['/root', '/home/ada/closed'].includes(path) ? 0o700 : 0o755;

test.each([
  ['/root/.cache/n8n-tuned', '/root'],
  ['/home/ada/closed/x', '/home/ada/closed'],
  ['/home/ada/closed/x/y', '/home/ada/closed'],
  ['/usr/bin', null],
  // Who may not read the folder itself is not helped by a way to it.
  ['/root', null],
])('above %s the first closed folder is %s', (path, closed) => {
  expect(closedAbove(path, mode)).toBe(closed);
});

test('where nothing is closed, nothing is mounted', () => {
  expect(passages(['/usr/bin', '/tmp/x'], '/stage', mode)).toEqual([]);
});

test('of a closed folder only what is needed is shown, each of it once', () => {
  const needed = ['/root/.cache/kit', '/root/.cache/kit/node', '/root/checkout', '/root/checkout'];
  expect(passages(needed, '/stage', mode)).toEqual([
    "mount -t tmpfs -o mode=0755,size=1m n8n-tuned '/stage'",
    "mkdir -p '/stage/.cache/kit'",
    "mount --rbind '/root/.cache/kit' '/stage/.cache/kit'",
    "mkdir -p '/stage/checkout'",
    "mount --rbind '/root/checkout' '/stage/checkout'",
    "mount --move '/stage' '/root'",
  ]);
});

test('each closed folder is replaced by one of its own', () => {
  const moves = passages(['/root/a', '/home/ada/closed/b'], '/stage', mode);
  expect(moves.filter((line) => line.startsWith('mount --move'))).toEqual([
    "mount --move '/stage' '/root'",
    "mount --move '/stage' '/home/ada/closed'",
  ]);
});

test('a program needs its package', () => {
  expect(['/opt/node/bin/node', '/usr/sbin/nginx', '/opt/k6'].map(packageOf)).toEqual([
    ...['/opt/node', '/usr', '/opt'],
  ]);
});

test('no word of a path is a word of the shell', () => {
  expect(quoted("/a b/$(c)'d")).toBe(`'/a b/$(c)'\\''d'`);
});
