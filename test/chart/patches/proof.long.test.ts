// The patches of expressions on a bundle that they do not know: they prove themselves beside n8n, or leave it as it is.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { n8nFolder, node24 } from '../../nodes/support/lab';
import { N8N_VERSION } from '../../support/versions';
import {
  describeOf,
  isLoaded,
  PRELOAD,
  script,
  testOf,
  withoutKnowledge,
} from '../support/preload-folder';

jest.setTimeout(300_000);

const MODULES = dirname(n8nFolder(N8N_VERSION));
const RUNTIME = join(MODULES, '@n8n/expression-runtime');
const BUNDLE = 'dist/bundle/runtime.iife.js';
const NAMES = ['lazy-character-map', 'warm-expressions', 'zone-once'];
const RESULT = ['U', 'Asia/Tokyo', 'value'];
const every = (state: string): Record<string, string> =>
  Object.fromEntries(NAMES.map((name) => [name, state]));

/** Texts of hashes and mistakes are those of this bundle; of another one only its own test is run. */
const hasOurBundle =
  isLoaded('zone-once') &&
  createHash('sha256')
    .update(readFileSync(join(RUNTIME, BUNDLE)))
    .digest('hex')
    .startsWith('7ee2ef16');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-proof-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

interface Sandbox {
  result: unknown;
  text?: string;
  hasCache?: boolean;
}
interface Seen {
  first: Sandbox;
  later: Sandbox[];
  before: Record<string, string>;
  states: Record<string, string>;
  tookMs: number;
  said: string;
}

async function run<T>(words: string[], given: object, env: NodeJS.ProcessEnv): Promise<T> {
  const child = spawn(node24(), words, { env: { PATH: process.env['PATH'], ...env } });
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  child.stdin.end(JSON.stringify(given));
  await once(child, 'close');
  if (out === '') throw new Error(said);
  return { ...(JSON.parse(out) as T), said };
}

interface Asked {
  preload?: string;
  names?: string[];
  runtime?: string;
  compileCache?: boolean;
  isSync?: boolean;
  env?: NodeJS.ProcessEnv;
}

/** Sandboxes before the patches have decided and after. Verdicts are kept in the folder of the test. */
function sandboxes(asked: Asked = {}): Promise<Seen> {
  const { preload = PRELOAD, names = NAMES, runtime = RUNTIME } = asked;
  const { compileCache = true, isSync = true, env = {} } = asked;
  const support = join(__dirname, '../support');
  const scripts = [join(support, 'compiled.cjs'), ...names.map((name) => script(name, preload))];
  const words = [
    ...scripts.flatMap((path) => ['--require', path]),
    join(support, 'sandbox-host.cjs'),
  ];
  const given = { runtime, compileCache, isSync, inForce: join(preload, 'in-force.cjs') };
  return run<Seen>(words, given, { NODE_PATH: MODULES, TMPDIR: folder, ...env });
}

/** n8n's package with another bundle. */
function withBundle(changed: (bundle: string) => string): string {
  const runtime = join(folder, 'node_modules/@n8n/expression-runtime');
  mkdirSync(runtime, { recursive: true });
  cpSync(join(RUNTIME, 'package.json'), join(runtime, 'package.json'));
  cpSync(join(RUNTIME, 'dist/cjs'), join(runtime, 'dist/cjs'), { recursive: true });
  mkdirSync(join(runtime, 'dist/bundle'));
  writeFileSync(join(runtime, BUNDLE), changed(readFileSync(join(RUNTIME, BUNDLE), 'utf8')));
  return runtime;
}

/** What the process is told of its memory, in bytes, in place of what it has. */
function withMemory(given: {
  available: number;
  limit: number;
  files?: number;
}): NodeJS.ProcessEnv {
  const path = join(folder, 'memory.cjs');
  const stat = `inactive_file ${String(given.files ?? 0)}\nactive_file 0\nactive_anon 99\n`;
  writeFileSync(
    path,
    `const fs = require('node:fs');
    const { readFileSync } = fs;
    fs.readFileSync = (file, ...more) =>
      file === '/sys/fs/cgroup/memory.stat' ? ${JSON.stringify(stat)} : readFileSync(file, ...more);
    process.availableMemory = () => ${String(given.available)};
    process.constrainedMemory = () => ${String(given.limit)};
    process.once('SIGTERM', () => process.exit());`,
  );
  return { NODE_OPTIONS: `--require=${path}` };
}

const verdicts = (): string[] => {
  const kept = join(folder, `n8n-tuned-${String(userInfo().uid)}`);
  return existsSync(kept) ? readdirSync(kept) : [];
};

testOf('zone-once')(
  'the bundle of this n8n is changed once a test beside n8n has given the same results faster',
  async () => {
    const { first, later, before, states } = await sandboxes({ preload: withoutKnowledge() });
    expect([before, states]).toEqual([every('waiting'), every('proven')]);
    expect(first).toMatchObject({ result: RESULT });
    for (const one of later) {
      expect(one).toMatchObject({ result: RESULT, hasCache: true });
      expect(one.text).not.toBe(first.text);
    }
  },
);

describeOf('zone-once', hasOurBundle)('a bundle that is known', () => {
  test('is changed from the first sandbox on, without a test', async () => {
    const { first, later, before, states, said } = await sandboxes();
    expect(before).toEqual(every('known'));
    expect(states).toEqual(before);
    expect(later).toEqual([first, first]);
    expect(first).toEqual({ result: RESULT, text: '3382a69d', hasCache: true });
    expect([verdicts(), said]).toEqual([[], '']);
  });

  test.each([
    ['lazy-character-map', 'e9666ba3'],
    ['zone-once', 'c11ea47e'],
    ['warm-expressions', '7ee2ef16'],
  ])('is changed by %s alone as that one does', async (name, text) => {
    const { first, states } = await sandboxes({ names: [name] });
    expect(states).toEqual({ [name]: 'known' });
    expect(first).toMatchObject({ result: RESULT, text });
  });

  test.each([
    ['asynchronously', { isSync: false }],
    ['without a code cache, as n8n 2.35 to 2.39 does', { compileCache: false }],
    ['neither', { compileCache: false, isSync: false }],
  ])('is changed too where n8n makes its sandboxes %s', async (_, asked) => {
    const { first, later, said } = await sandboxes(asked);
    expect(later).toEqual([first, first]);
    expect(first).toEqual({ result: RESULT, text: '3382a69d', hasCache: true });
    expect(said).toBe('');
  });

  test('keeps a code cache of its text where n8n wants one and nothing warms it', async () => {
    const { first, later } = await sandboxes({ names: ['lazy-character-map'] });
    expect([first, ...later].map(({ hasCache }) => hasCache)).toEqual([false, true, true]);
  });

  test('is left as it is with the switch, and the state says so', async () => {
    const { first, states, said } = await sandboxes({ env: { N8N_TUNED_WITHOUT: NAMES.join() } });
    expect(states).toEqual(every('off'));
    expect(first).toMatchObject({ result: RESULT, text: '7ee2ef16' });
    expect(said).toBe('');
  });
});

describeOf('zone-once', hasOurBundle)('a bundle that is taken out of what is known', () => {
  test('is changed to the same text, once a test beside n8n has given the same results faster', async () => {
    const preload = withoutKnowledge();
    const { first, later, before, states, said } = await sandboxes({ preload });
    expect(before).toEqual(every('waiting'));
    // Nothing waits for the test: the first sandboxes are n8n's.
    expect(first).toMatchObject({ result: RESULT, text: '7ee2ef16' });
    expect(states).toEqual(every('proven'));
    for (const one of later)
      expect(one).toEqual({ result: RESULT, text: '3382a69d', hasCache: true });
    expect(said).toBe('');
  });

  test('is not tested again in the same container, but with other scripts', async () => {
    const preload = withoutKnowledge();
    await sandboxes({ preload });
    const [verdict] = verdicts();
    const again = await sandboxes({ preload });
    expect(again.before).toEqual(every('proven'));
    expect(again.first).toMatchObject({ result: RESULT, text: '3382a69d' });
    expect(verdicts()).toEqual([verdict]);
    const other = withoutKnowledge();
    writeFileSync(join(other, 'zone-once.cjs'), '// another\n', { flag: 'a' });
    expect((await sandboxes({ preload: other })).before).toEqual(every('waiting'));
    expect(verdicts()).toHaveLength(2);
  });

  test('is left as it is where only known code may be changed', async () => {
    const env = { N8N_TUNED_PATCHES: 'known' };
    const { first, later, states, said } = await sandboxes({ preload: withoutKnowledge(), env });
    expect(states).toEqual(every('unknown'));
    for (const one of [first, ...later]) expect(one).toMatchObject({ text: '7ee2ef16' });
    expect(said.trimEnd().split('\n').sort()).toEqual(
      NAMES.map(
        (name) => expect.stringMatching(`^n8n-tuned: ${name}: .* left as it is$`) as string,
      ),
    );
  });

  test('is changed at once where the user has admitted it', async () => {
    const admitted = '7ee2ef16c09871fddffd26281d05be77c4caca1127bb1acf21d919b28f348dab';
    const env = { N8N_TUNED_PATCHES: 'known', N8N_TUNED_ADMITTED: `another,${admitted}` };
    const { states } = await sandboxes({ preload: withoutKnowledge(), env });
    expect(states).toEqual(every('known'));
  });

  test('is not changed by a verdict that others could have written', async () => {
    const kept = join(folder, `n8n-tuned-${String(userInfo().uid)}`);
    mkdirSync(kept);
    chmodSync(kept, 0o777);
    const { later, states, said } = await sandboxes({ preload: withoutKnowledge() });
    expect(states).toEqual(every('unknown'));
    expect(later[0]).toMatchObject({ result: RESULT, text: '7ee2ef16' });
    expect(said).toContain('belongs to others');
  });
});

describeOf('zone-once', hasOurBundle)('a container that is short of memory', () => {
  /** A test that has this effect on n8n, and does not end. */
  const whoseTest = (code: string): string => {
    const preload = withoutKnowledge();
    const endless = `${code}; setTimeout(() => {}, 60000);\n`;
    writeFileSync(
      script('expressions-proof', preload),
      `exports.rehearsed = () => undefined; if (require.main === module) { ${endless} }`,
    );
    return preload;
  };
  const SMALL = { available: 300e6, limit: 384e6 };

  test('is left as it is, since Kubernetes would kill it whole for a test beside n8n', async () => {
    const env = withMemory({ ...SMALL, available: 100e6 });
    const { states, said } = await sandboxes({ preload: withoutKnowledge(), env });
    expect(states).toEqual(every('unknown'));
    expect(said).toContain(
      'the self-test needs 200 MB of free memory, and there are 100 MB, left as it is',
    );
    expect(verdicts()).toEqual([]);
  });

  test('has the memory of files that the kernel keeps for as long as there is room', async () => {
    const env = withMemory({ ...SMALL, available: 100e6, files: 150e6 });
    const { states } = await sandboxes({ preload: withoutKnowledge(), env });
    expect(states).toEqual(every('proven'));
  });

  test('does not test again once it was killed during a test', async () => {
    const preload = whoseTest("process.kill(process.ppid, 'SIGKILL')");
    const asked = { preload, env: withMemory(SMALL) };
    await expect(sandboxes(asked)).rejects.toThrow();
    const { states, said } = await sandboxes(asked);
    expect(states).toEqual(every('unknown'));
    expect(said).toContain('zone-once: the self-test did not end, left as it is');
  });

  test('tests again after an n8n that has ended in order during a test', async () => {
    const preload = whoseTest("process.kill(process.ppid, 'SIGTERM'); process.exit()");
    await expect(sandboxes({ preload, env: withMemory(SMALL) })).rejects.toThrow();
    expect(verdicts()).toEqual([]);
  });
});

describeOf('zone-once', hasOurBundle)('another bundle', () => {
  test('is changed where all places are in it', async () => {
    const runtime = withBundle((bundle) => `${bundle}\n`);
    const { later, states } = await sandboxes({ runtime });
    expect(states).toEqual(every('proven'));
    expect(later[0]).toMatchObject({ result: RESULT, hasCache: true });
  });

  test.each([
    ['lacks a place', (text: string) => text.replace('this.map=q(No)', 'this.map=(q(No))')],
    ['has a place twice', (text: string) => `${text}\n// this.map=q(No)`],
    ['has a name that is added', (text: string) => `${text}\n// builtMap`],
  ])('that %s of one patch has the changes of the others', async (_, changed) => {
    const runtime = withBundle(changed);
    const { later, states, said } = await sandboxes({ runtime });
    expect(states).toMatchObject({ 'zone-once': 'proven', 'lazy-character-map': 'unknown' });
    expect(later[0]?.result).toEqual(RESULT);
    // Beside a map that is built at once, a cache gains so little that a core decides whether it counts.
    const warm =
      states['warm-expressions'] === 'proven' ? '' : 'warm-expressions: a test .* gained nothing,';
    const left = said.trimEnd().split('\n').toSorted();
    expect(left).toEqual(
      ['lazy-character-map: this n8n has an unknown bundle .*', warm]
        .filter((one) => one !== '')
        .map((one) => expect.stringMatching(`^n8n-tuned: ${one} left as it is$`)),
    );
  });

  test('without the sandbox that is tested is left as it is', async () => {
    const runtime = withBundle((bundle) => bundle.replaceAll('"Bei"', '"Bai"'));
    const { states, said } = await sandboxes({ runtime });
    expect(states).toEqual(every('unknown'));
    expect(said).toContain('unknown sandbox of expressions');
  });
});

describeOf('zone-once', hasOurBundle)(
  'a test beside n8n that goes wrong leaves n8n as it is',
  () => {
    const withScript = (name: string, changed: (text: string) => string): string => {
      const preload = withoutKnowledge();
      const path = script(name, preload);
      writeFileSync(path, changed(readFileSync(path, 'utf8')));
      return preload;
    };

    test.each([
      ['takes more CPU than it may', 'for (;;);', 'more than 1 s of CPU'],
      ['throws', "throw new Error('planted')", 'planted'],
      ['makes another result', 'globalThis.DateTime = undefined', 'gave other results'],
    ])('where a change %s', async (_, code, why) => {
      const preload = withScript('zone-once', (text) =>
        text.replace('return late;', () => `return late + "\\n${code}";`),
      );
      const { later, states, said } = await sandboxes({ preload, names: ['zone-once'] });
      expect(states).toEqual({ 'zone-once': 'unknown' });
      for (const one of later) expect(one).toMatchObject({ result: RESULT, text: '7ee2ef16' });
      expect(said).toContain(why);
    });

    test('where it takes too long for the last patch, whose test comes again, but not the others', async () => {
      const busy = (text: string): string =>
        text.replace(
          'if (isWarm)',
          'while (isWarm) await new Promise(setImmediate);\n  if (isWarm)',
        );
      const preload = withScript('expressions-proof', busy);
      const { later, states, said } = await sandboxes({ preload });
      const decided = { ...every('proven'), 'warm-expressions': 'unknown' };
      expect(states).toEqual(decided);
      expect(later[0]?.result).toEqual(RESULT);
      expect(said).toBe(
        'n8n-tuned: warm-expressions: a test took more than 1 s of CPU, left as it is\n',
      );
      // A core that is slow for a moment decides nothing for the next start.
      expect(verdicts()).toEqual([]);
      const next = await sandboxes({ preload });
      expect(next).toMatchObject({ before: every('waiting'), states: decided });
    });

    test('where its process does not come up', async () => {
      const preload = withScript('expressions-proof', (text) =>
        text.replace(
          'if (require.main === module)',
          'if (require.main === module) process.abort();\nif (false)',
        ),
      );
      const { later, states, said } = await sandboxes({ preload });
      expect(states).toEqual(every('unknown'));
      expect(later[0]).toMatchObject({ result: RESULT, text: '7ee2ef16' });
      expect(said).toContain('did not end');
    });
  },
);

/** What is wrong with it, the patch, and a text in what it makes of the bundle, with another in its place; null is n8n's own. */
type Mutant = [string, string, string, string | null];

/** What a patch makes of the bundle, and a mistake in it. */
const MUTANTS: Mutant[] = [
  ['keeps offsets without their zone', 'zone-once', 'let key=this.name+" "+e', 'let key=""+e'],
  [
    'keeps offsets without their moment',
    'zone-once',
    'let key=this.name+" "+e',
    'let key=this.name',
  ],
  [
    ...[
      'builds $now when it is read',
      'zone-once',
      'let ts=A.now(),zone=A.defaultZone,now=()=>new C({ts,zone})',
    ],
    'let zone=A.defaultZone,now=()=>new C({ts:A.now(),zone})',
  ] as Mutant,
  [
    'builds $now in the zone of the reader',
    'zone-once',
    'now=()=>new C({ts,zone})',
    'now=()=>new C({ts})',
  ],
  [
    ...['has the whole moment in $today', 'zone-once'],
    ...['()=>now().set({hour:0,minute:0,second:0,millisecond:0})', '()=>now()'],
  ] as Mutant,
  ['takes every zone for valid', 'zone-once', 'if(validZones.has(e))return!0;', 'return!0;'],
  [
    'fixes $now for ever',
    'zone-once',
    'set,enumerable:!0,configurable:!0});\n  }',
    'set,enumerable:!0});\n  }',
  ],
  ['has an empty map', 'lazy-character-map', 'return builtMap=No};', 'return builtMap={}};'],
  [
    'builds the map each time',
    'lazy-character-map',
    'return this.ownMap??=No()',
    'builtMap=0;return No()',
  ],
  ['adds a global', 'lazy-character-map', 'var builtMap,', 'globalThis.builtMap=1;var builtMap,'],
];
/** One of each kind of mistake; LONG=1 takes all. */
const JUDGED = MUTANTS.filter(
  ([mistake]) =>
    process.env['LONG'] === '1' || /without their zone|each time|adds a global/.test(mistake),
);
/** Right, but for nothing. */
const TURNS = 5;
const WITHOUT_GAIN: Mutant[] = [
  [
    'builds the map at once',
    'lazy-character-map',
    '}}return builtMap=No};',
    '}}return builtMap=No};No();',
  ],
  ['changes nothing', 'lazy-character-map', '', null],
  ['changes nothing', 'zone-once', '', null],
];

describeOf('zone-once', hasOurBundle)('the test beside n8n', () => {
  const judge = async (mutants: Mutant[]): Promise<unknown[]> => {
    const given = {
      ...{
        bundle: join(RUNTIME, BUNDLE),
        isolatedVm: join(MODULES, 'isolated-vm'),
        folder: PRELOAD,
      },
      mutants: mutants.map(([, ...mutant]) => mutant),
    };
    const words = [join(__dirname, '../support/judge-host.cjs')];
    const seen = await run<Record<string, { isChanged: boolean; why: string[] | null }>>(
      words,
      given,
      {},
    );
    return mutants.map(([name], index) => {
      const one = seen[index];
      return [name, one?.isChanged, one?.why === null ? 'accepted' : one?.why[1]];
    });
  };

  test('finds each change that gives other results or takes longer', async () => {
    const found = await judge(JUDGED);
    expect(found.filter((one) => (one as unknown[])[2] === 'accepted')).toEqual([]);
    expect(found.every((one) => (one as unknown[])[1] === true)).toBe(true);
  });

  test('finds each change that gains nothing', async () => {
    // A core that is slow for a moment makes anything after it look fast, which costs n8n nothing.
    let left = WITHOUT_GAIN;
    for (let turn = 0; turn < TURNS && left.length > 0; turn += 1) {
      const found = await judge(left);
      left = left.filter((_, index) => {
        const [, isChanged, why] = found[index] as unknown[];
        expect(isChanged).toBe(true);
        return !/gained nothing|took longer/.test(String(why));
      });
    }
    expect(left).toEqual([]);
  });

  test('accepts the changes themselves', async () => {
    const right: Mutant[] = [
      ['the map', 'lazy-character-map', 'return builtMap=No};', 'return builtMap=No;};'],
      ['the zones', 'zone-once', 'var validZones=new Set', 'var  validZones=new Set'],
    ];
    // The same core makes them look slow.
    let left = right;
    for (let turn = 0; turn < TURNS && left.length > 0; turn += 1) {
      const found = await judge(left);
      left = left.filter((_, index) => {
        const [, isChanged, why] = found[index] as unknown[];
        expect([isChanged, why]).toEqual([
          true,
          expect.stringMatching(/accepted|gained nothing|took longer/),
        ]);
        return why !== 'accepted';
      });
    }
    expect(left).toEqual([]);
  });
});
