import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  asUser,
  claimUserId,
  endProcessesOf,
  PLAIN,
  prepareView,
} from '../../../cli/src/linux/own-user';
import { allPids, readStat } from '../../../cli/src/linux/proc';
import { whyNoMount } from '../../../cli/src/linux/small-disk';
import { until } from '../../support/wait';

/** What a user of its own reaches; it takes root that may mount. */

const asRoot = process.getuid?.() === 0 && whyNoMount() === null ? test : test.skip;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'own-user-'));
  mkdirSync(join(folder, 'stage'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const viewOf = (id: number, ...paths: string[]): string =>
  prepareView(id, join(folder, 'stage'), paths);

function said(id: number, view: string, script: string): string {
  const [program, ...args] = asUser(id, view, ['/bin/sh', '-c', script]);
  return spawnSync(program, args, { ...PLAIN, encoding: 'utf8' }).stdout.trim();
}

asRoot('it has no rights, gains none, and has a name', async () => {
  chmodSync(folder, 0o755);
  const id = await claimUserId();
  const status = said(id, viewOf(id), 'id -un; id -G; cat /proc/self/status').split('\n');
  expect(status.slice(0, 2)).toEqual(['n8n-tuned', String(id)]);
  expect(status).toEqual(expect.arrayContaining(['CapEff:\t0000000000000000', 'NoNewPrivs:\t1']));
});

asRoot('in a closed folder it sees what it needs, and nothing else', async () => {
  const closed = join(folder, 'home');
  for (const name of ['shown', 'secret']) {
    mkdirSync(join(closed, name), { recursive: true });
    writeFileSync(join(closed, name, 'file'), name);
  }
  chmodSync(folder, 0o755);
  chmodSync(closed, 0o700);
  const id = await claimUserId();
  const script = `ls ${closed}; cat ${closed}/*/file; echo x >${closed}/shown/file || echo refused`;
  const seen = said(id, viewOf(id, join(closed, 'shown')), script);
  expect(seen.split('\n')).toEqual(['shown', 'shownrefused']);
  expect(statSync(closed).mode & 0o777).toBe(0o700);
});

asRoot('two commands never have the same one at the same time', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, claimUserId));
  expect(new Set(ids).size).toBe(20);
});

asRoot('all of its processes end, also one that left its group and its session', async () => {
  chmodSync(folder, 0o777);
  const id = await claimUserId();
  const mark = join(folder, 'mark');
  const stray = `setsid /bin/sh -c 'touch ${mark}; exec sleep 300' >/dev/null 2>&1 &`;
  const [program, ...args] = asUser(id, viewOf(id), ['/bin/sh', '-c', stray]);
  spawn(program, args, { ...PLAIN, stdio: 'ignore' });
  await until('it runs', () => existsSync(mark) && of(id).length > 0);
  await endProcessesOf(id);
  expect(of(id)).toEqual([]);
});

const of = (id: number): number[] =>
  allPids().filter(
    (pid) =>
      readStat(pid) !== null &&
      statSync(`/proc/${String(pid)}`, { throwIfNoEntry: false })?.uid === id,
  );
