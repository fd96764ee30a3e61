import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireFromNpm } from '../../../../cli/src/features/n8n/packages';
import { listLines, shownVersions } from '../../../../cli/src/features/n8n/report/terminal';
import { installedN8n, manifestOf, nodeFor, replacedIn } from '../../../../cli/src/lab/n8n';
import { chooseTopology } from '../../../../cli/src/plan/chosen-topology';
import { topologySchema } from '../../../../cli/src/plan/topology';
import { programOf } from '../../../../cli/src/program';
import { findTools, notInstalled } from '../../../../cli/src/targets/process/tools';

jest.mock<object>('../../../../cli/src/features/find/quiet/quiet', () => ({
  ...jest.requireActual<object>('../../../../cli/src/features/find/quiet/quiet'),
  quietHere: () => Promise.reject(new Error('the machine was looked at')),
}));

describe('the Node.js of an n8n', () => {
  // The packages of n8n 0.221, 1.0, 1.81, 1.110, 2.16 and 2.41 say it.
  test.each([
    [null, 'node18'],
    ['>=14.0.0', 'node18'],
    ['>=18.10', 'node18'],
    ['>=18.17 <= 22', 'node18'],
    ['>=20.19 <= 24.x', 'node24'],
    ['>=22.16', 'node24'],
    ['>=24.0.0', 'node24'],
    ['^18 || ^20', 'node18'],
    ['24.x', 'node24'],
    ['<18', 'node24'],
  ])('for %s is %s', (engines, node) => {
    expect(nodeFor(engines)).toBe(node);
  });
});

test('a release that comes as an image alone is measured as one', () => {
  expect(() => {
    requireFromNpm('3.0.0');
  }).toThrow(
    'n8n 3.0.0 is available only as an image, not from npm: measure it with --target container --image n8nio/n8n:3.0.0.',
  );
  expect(() => {
    requireFromNpm('2.99.0');
  }).not.toThrow();
});

describe('an n8n on this machine', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'n8n-versions-'));
    for (const version of ['2.9.0', '2.10.1']) {
      const inside = join(folder, 'n8n', version, 'node_modules/n8n');
      mkdirSync(join(inside, 'bin'), { recursive: true });
      const engines = { node: '>=22.16' };
      writeFileSync(
        join(inside, 'package.json'),
        JSON.stringify({ name: 'n8n', version, engines }),
      );
      writeFileSync(join(inside, 'bin/n8n'), '', { mode: 0o755 });
    }
    mkdirSync(join(folder, 'n8n', '2.11.0'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('is listed in the order of versions once its install is whole', () => {
    expect(installedN8n(folder)).toEqual(['2.9.0', '2.10.1']);
    expect(installedN8n(join(folder, 'nothing'))).toEqual([]);
  });

  test('says its version by its package, also through a link', () => {
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'n8n/2.10.1/node_modules/n8n/bin/n8n'), link);
    expect(manifestOf(link)).toEqual({ version: '2.10.1', engines: '>=22.16' });
    expect(manifestOf(process.execPath)).toBeNull();
  });

  test('says which packages its install has in other versions than it asks for', () => {
    const program = join(folder, 'n8n/2.10.1/node_modules/n8n/bin/n8n');
    expect(replacedIn(program)).toEqual([]);
    const overrides = {
      linkedom: '0.18.12',
      langchain: { '@langchain/langgraph': '1.2.9' },
      parent: { '.': '1.0.1', child: { grandchild: '2.0.0' } },
    };
    writeFileSync(join(folder, 'n8n/2.10.1/package.json'), JSON.stringify({ overrides }));
    expect(replacedIn(program)).toEqual([
      ...['linkedom 0.18.12', 'langchain > @langchain/langgraph 1.2.9'],
      ...['parent 1.0.1', 'parent > child > grandchild 2.0.0'],
    ]);
  });

  test('is measured as the version that its program has, and no other', () => {
    const n8nProgram = join(folder, 'n8n/2.9.0/node_modules/n8n/bin/n8n');
    expect(chooseTopology({ n8nProgram }).n8n).toBe('2.9.0');
    expect(() => chooseTopology({ n8nProgram, n8n: '2.10.1' })).toThrow(
      `--n8n-program ${n8nProgram} is n8n 2.9.0, but --n8n asks for 2.10.1: remove --n8n.`,
    );
    expect(() => chooseTopology({ n8nProgram: process.execPath })).toThrow(
      'is not an n8n program: specify bin/n8n in its package, or a link to it.',
    );
  });
});

describe('the Node.js that runs an n8n which the user names', () => {
  let folder: string;
  const path = process.env['PATH'];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'n8n-own-'));
    process.env['PATH'] = folder;
    mkdirSync(join(folder, 'own/bin'), { recursive: true });
    const engines = { node: '>=22.16' };
    const manifest = { name: 'n8n', version: '2.39.10', engines };
    writeFileSync(join(folder, 'own/package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'own/bin/n8n'), '', { mode: 0o755 });
  });
  afterEach(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });
  const has = (name: string, version: string): string => {
    const program = join(folder, name);
    writeFileSync(program, `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
    return program;
  };
  const tools = () =>
    findTools(topologySchema.parse({ n8n: '2.39.10' }), join(folder, 'own/bin/n8n'));

  test('is their own where this n8n accepts it', () => {
    const node = has('node', 'v24.1.0');
    has('node24', 'v24.21.0');
    const { n8nCommand, sqliteNode } = tools();
    expect([n8nCommand[0], sqliteNode]).toEqual([node, node]);
  });

  test('is that of the lab where theirs does not fit, or is too old to read SQLite', () => {
    const node24 = has('node24', 'v24.21.0');
    has('node', 'v20.20.2');
    expect(tools().n8nCommand[0]).toBe(node24);
    const node = has('node', 'v22.17.0');
    expect([tools().n8nCommand[0], tools().sqliteNode]).toEqual([node, node24]);
  });

  test('is asked for by the range that this n8n accepts', () => {
    expect(tools).toThrow(
      'n8n 2.39.10 requires Node.js >=22.16, but your PATH has no node: add a suitable Node.js to your PATH, or run lab/install.sh node24.',
    );
    has('node', 'v20.20.2');
    expect(tools).toThrow(
      'n8n 2.39.10 requires Node.js >=22.16, but node on your PATH is 20.20.2: add a suitable Node.js to your PATH, or run lab/install.sh node24.',
    );
    has('node', 'v22.17.0');
    expect(tools).toThrow(
      'reading the SQLite database requires Node.js >=24, but node on your PATH is 22.17.0: add a suitable Node.js to your PATH, or run lab/install.sh node24.',
    );
  });
});

describe('an n8n that is not installed is refused before the machine is looked at', () => {
  const call = (...words: string[]) => programOf().parseAsync(words, { from: 'user' });
  const MISSING = /^n8n 2\.39\.8 is not installed in .*: run n8n-tuned n8n install 2\.39\.8\.$/;

  test.each([
    ['find', '--n8n', '2.39.8', '--workload', 'last-node'],
    ['compare', '--n8n', '2.39.8', '--n8n', '2.39.7', '--workload', 'last-node'],
  ])('by %s', async (...words) => {
    await expect(call(...words)).rejects.toThrow(MISSING);
  });

  test('by up, and not by the process that would stay', async () => {
    await expect(call('up', '--n8n', '2.39.8')).rejects.toThrow(MISSING);
  });

  test.each([
    ['nonsense', 'nonsense is not an n8n version: specify one such as 2.39.10.'],
    [
      '3.0.0',
      'n8n 3.0.0 is available only as an image, not from npm: measure it with --target container --image n8nio/n8n:3.0.0.',
    ],
  ])('with what %s is', async (version, said) => {
    await expect(call('find', '--n8n', version, '--workload', 'last-node')).rejects.toThrow(said);
  });
});

test('of many installed versions, the newest three are offered in place of one that is not', () => {
  const installed = ['2.9.0', '2.10.1', '2.11.0', '2.12.0'];
  expect(notInstalled('2.39.8', installed)).toMatch(
    /: run n8n-tuned n8n install 2\.39\.8, or choose 2\.12\.0, 2\.11\.0 or 2\.10\.1 with --n8n \(n8n-tuned n8n list shows all versions\)\.$/,
  );
  expect(notInstalled('2.39.8', ['2.9.0'])).toMatch(
    /: run n8n-tuned n8n install 2\.39\.8, or choose 2\.9\.0 with --n8n\.$/,
  );
});

describe('the list of versions', () => {
  const released = ['0.9.0', '1.0.0', '1.0.1', '2.0.0', '2.0.1', '2.1.0', '2.1.3'];

  test('shows what is installed and the newest release of each line', () => {
    const versions = { installed: ['1.0.0', '2.0.0'], released, pinned: '2.0.0' };
    expect(listLines(versions)).toEqual([
      'VERSION    STATE',
      '2.1.3      -          newest in the registry',
      '2.0.1      -',
      '2.0.0      installed  default of this n8n-tuned version',
      '1.0.1      -',
      '1.0.0      installed',
      '0.9.0      -',
      '',
      'The registry has 1 more release: --json lists them.',
    ]);
  });

  test('shows the newest ten minor versions, and of older major ones the last', () => {
    const minors = Array.from({ length: 14 }, (_, minor) => `2.${String(minor)}.0`);
    const shown = shownVersions({ installed: [], released: ['1.9.0', ...minors], pinned: '' });
    expect(shown).toEqual([...minors.slice(4).reverse(), '1.9.0']);
  });

  test('shows what is installed without a registry', () => {
    const versions = { installed: ['2.0.0'], released: null, pinned: '2.1.0' };
    expect(listLines(versions)).toEqual(['VERSION    STATE', '2.0.0      installed']);
  });
});
