import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { N8N_LEGACY_VERSION } from '../support/versions';
import { leftOf } from '../process/left-behind';
import { inFoldersOfItsOwn, loading, type Loading } from '../process/loading';

/** What another user of this machine can reach of a run on target process while its load is under way. */

jest.setTimeout(330_000);

const place = inFoldersOfItsOwn();
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

const LOAD = ['--workload', 'last-node', '--rate', '3', '--duration', '3m'];
const topologies: [string, string[]][] = [
  ['regular mode on SQLite', []],
  ['queue mode with webhook processors', ['--workers', '1', '--webhooks', '1']],
  [`n8n ${N8N_LEGACY_VERSION} in queue mode`, ['--n8n', N8N_LEGACY_VERSION, '--workers', '1']],
];

interface Listening {
  address: string;
  port: number;
  command: string;
}

/** Sockets on which these processes listen, from /proc. */
function listening(processes: readonly { pid: number; command: string }[]): Listening[] {
  const owners = new Map<string, string>();
  for (const { pid, command } of processes) {
    for (const fd of listed(`/proc/${String(pid)}/fd`)) {
      const link = linkOf(`/proc/${String(pid)}/fd/${fd}`);
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      if (inode !== undefined) owners.set(inode, command);
    }
  }
  const LISTEN = '0A';
  return ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/net/${kind}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const fields = line.trim().split(/\s+/);
        const [address = '', port = ''] = (fields[1] ?? '').split(':');
        const command = owners.get(fields[9] ?? '');
        return fields[3] === LISTEN && command !== undefined
          ? [{ address, port: parseInt(port, 16), command }]
          : [];
      }),
  );
}

/** 127.0.0.1 as /proc/net/tcp writes it. */
const LOOPBACK = '0100007F';

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

interface Intrusion {
  uid: number;
  got: string[];
}

function intrude({ started }: Loading, folders: readonly string[]): Intrusion {
  const all = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const isFolder = (path: string): boolean =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const order = {
    ports: listening(started.processes).map(({ port }) => port),
    files: all.filter((path) => !isFolder(path)),
    folders: all.filter(isFolder),
    pids: started.processes.map(({ pid }) => pid),
  };
  expect(order.ports.length).toBeGreaterThan(0);
  expect(order.files.length).toBeGreaterThan(10);
  const said = execFileSync(
    'setpriv',
    [
      ...[`--reuid=${String(NOBODY)}`, `--regid=${String(NOBODY)}`, '--clear-groups', '--'],
      ...[process.execPath, '-e', readFileSync(join(__dirname, 'intruder.cjs'), 'utf8')],
    ],
    { input: JSON.stringify(order), cwd: '/', encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return JSON.parse(said) as Intrusion;
}

const asRoot = ({ processes }: Loading['started']): string[] =>
  processes
    .filter(({ pid, command }) => {
      const isOurs = /k6|reaper/.test(command);
      return !isOurs && statSync(`/proc/${String(pid)}`, { throwIfNoEntry: false })?.uid === 0;
    })
    .map(({ command }) => command);

/** Nothing of the run can be reached while it is under way, and nothing is left when it ends. */
async function keepsOthersOut(load: Loading): Promise<void> {
  // Whoever may enter the folders in which they lie.
  for (const folder of [place.out, place.temp]) chmodSync(folder, 0o777);
  expect(intrude(load, [place.temp, place.out])).toEqual({ uid: NOBODY, got: [] });
  load.run.child.kill('SIGINT');
  await load.run.ended;
  expect(leftOf(load.started, place.temp)).toEqual([]);
}

/** The test has to be root to become somebody else. */
const testAsRoot = isRoot ? test : test.skip;

testAsRoot.each(topologies)(
  'another user reaches no store, no editor, no process and no file of a run: %s',
  async (_, topology) => {
    const load = await loading(place, ...LOAD, ...topology);
    const open = listening(load.started.processes).filter(({ address }) => address !== LOOPBACK);
    // The health check of its worker: it cannot be told an address, and says no more than that it is there.
    const legacyHealth = topology.includes(N8N_LEGACY_VERSION)
      ? [expect.stringContaining('worker')]
      : [];
    expect(open.map(({ command }) => command)).toEqual(legacyHealth);
    expect(asRoot(load.started)).toEqual([]);
    await keepsOthersOut(load);
  },
);

/** Starts a program as in a container that may not mount. */
const WITHOUT_MOUNTS = ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin', '--'];

testAsRoot(
  'root that may not mount is warned that n8n runs as root, and keeps other users out all the same',
  async () => {
    const load = await loading({ ...place, through: WITHOUT_MOUNTS }, ...LOAD, '--workers', '1');
    expect(load.run.stderr().match(/run as root.*CAP_SYS_ADMIN/g)).toHaveLength(1);
    expect(asRoot(load.started)).toContainEqual(expect.stringContaining('n8n worker'));
    await keepsOthersOut(load);
  },
);
