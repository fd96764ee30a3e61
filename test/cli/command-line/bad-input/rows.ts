/**
 * Bad input, the exit code that it gives and words of its sentence. In a call, `@` is the
 * row's own folder and `~` a space within a word.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { thisProcess } from '../../../../cli/src/linux/proc';
import { runHeadSchema } from '../../../../cli/src/record/folder';
import { sampleComparison } from '../../../support/sample-compare';
import { sampleDrill } from '../../../support/sample-drill';
import { sampleSearch } from '../../../support/sample-find';
import { sampleRate } from '../../../support/sample-rate';
import { sampleRun } from '../../../support/sample-run';
import { sampleSweep } from '../../../support/sample-sweep';
import { aRun, deep, json, noise, ODD, put, text, utf16, type Make } from './files';

export interface Row {
  title: string;
  call: string[];
  make: (folder: string) => void;
  code: number;
  says: RegExp;
  env?: Record<string, string>;
}

const row = (
  title: string,
  call: string,
  code: number,
  says: RegExp,
  make: (folder: string) => void = () => undefined,
  env: Record<string, string> = {},
): Row => ({
  title,
  call: call.split(' ').map((word) => word.replaceAll('~', ' ')),
  code,
  says,
  make,
  env,
});

/** A file of this name in the row's folder. */
const file =
  (name: string, make: Make) =>
  (folder: string): void => {
    put(join(folder, name), make);
  };

const without = (record: object, ...path: string[]): unknown => {
  const copy = JSON.parse(JSON.stringify(record)) as Record<string, unknown>;
  const [last = '', ...others] = path.reverse();
  let at = copy;
  for (const name of others.reverse()) at = at[name] as Record<string, unknown>;
  Reflect.deleteProperty(at, last);
  return copy;
};
const withValue = (record: object, path: string[], value: unknown): unknown => {
  const copy = JSON.parse(JSON.stringify(record)) as Record<string, unknown>;
  let at = copy;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
  at[path.at(-1) ?? ''] = value;
  return copy;
};

const run = sampleRun().record;
const head = runHeadSchema.parse(run);

/** The record of each kind that `report` reads, and one that is whole. */
const RECORDS: Record<string, object> = {
  'run.json': run,
  'incomplete.json': { maker: { pid: 4_000_000, startedAtMs: 1 }, head },
  'find.json': sampleSearch(),
  'rate.json': sampleRate(),
  'compare.json': sampleComparison(),
  'drill.json': sampleDrill().record,
  'sweep.json': sampleSweep('workers: [1, 2]'),
};

const RUBBISH: [string, Make, RegExp][] = [
  ['empty', text(''), /truncated/],
  ['cut off', text('{"schemaVersion":3,"id":"a'), /is not JSON|is truncated/],
  ['null', text('null'), /it holds null/],
  ['a list', text('[]'), /it holds a list/],
  ['a number', text('5'), /it holds 5/],
  ['an object of nothing', text('{}'), /cannot be read as|schemaVersion/],
  ['bytes at random', noise, /not text in UTF-8/],
  ['UTF-16', utf16, /not text in UTF-8/],
  ['200,000 brackets', deep, /is not JSON|is truncated/],
];

const recordRows: Row[] = Object.keys(RECORDS).flatMap((name) => [
  ...RUBBISH.map(([title, make, says]) =>
    row(`report, ${name}: ${title}`, 'report @/r', 2, says, file(`r/${name}`, make)),
  ),
  ...Object.entries(ODD).map(([title, [make, says]]) =>
    row(`report, ${name}: ${title}`, 'report @/r', 2, says, file(`r/${name}`, make)),
  ),
]);

const changedRows: Row[] = [
  ...(
    ['find.json', 'rate.json', 'compare.json', 'drill.json', 'sweep.json', 'run.json'] as const
  ).flatMap((name) => {
    const record = RECORDS[name] ?? {};
    const changed = (title: string, content: unknown, says: RegExp): Row =>
      row(`report, ${name}: ${title}`, 'report @/r', 2, says, file(`r/${name}`, json(content)));
    return [
      changed('schemaVersion 99', { ...record, schemaVersion: 99 }, /schemaVersion 99, which this/),
      changed(
        'schemaVersion "constructor"',
        { ...record, schemaVersion: 'constructor' },
        /schemaVersion "constructor"/,
      ),
      changed('no machine', without(record, 'machine'), /machine: expected/),
      changed('a command of null', { ...record, command: null }, /command: expected a list/),
      ...(name === 'run.json'
        ? []
        : [changed('of another kind', { ...record, kind: 'x' }, /its kind is "x"/)]),
    ];
  }),
  row('report, run.json: no verdict', 'report @/r', 2, /verdict: expected/, (folder) => {
    aRun(join(folder, 'r'), (record) => without(record, 'verdict'));
  }),
  row(
    'report, run.json: a verdict without limits',
    'report @/r',
    2,
    /verdict.limitedBy/,
    (folder) => {
      aRun(join(folder, 'r'), (record) => without(record, 'verdict', 'limitedBy'));
    },
  ),
  row('report, run.json: latencies of null', 'report @/r', 2, /summary.latencyMs/, (folder) => {
    aRun(join(folder, 'r'), (record) => withValue(record, ['summary', 'latencyMs'], null));
  }),
  row('report, run.json: an outcome of its own', 'report @/r', 2, /verdict.outcome/, (folder) => {
    aRun(join(folder, 'r'), (record) => withValue(record, ['verdict', 'outcome'], 'great'));
  }),
  row('report, find.json: probes of null', 'report @/r', 2, /probes: expected a list/, (folder) => {
    file('r/find.json', json({ ...sampleSearch(), probes: null }))(folder);
  }),
  row('report, run.json: a mark before it', 'report @/r', 0, /^$/, (folder) => {
    aRun(join(folder, 'r'));
    writeFileSync(join(folder, 'r/run.json'), `\uFEFF${JSON.stringify(run)}`);
  }),
  row(
    'report, a cell of nothing',
    'report @/r',
    2,
    /cell.json has schemaVersion|cell.json cannot/,
    (folder) => {
      const sweep = sampleSweep('workers: [1, 2]');
      file('r/sweep.json', json(sweep))(folder);
      for (const [index, step] of sweep.steps.entries()) {
        const name = step.isControl ? step.id : `block-${String(step.block)}`;
        const number = String(index + 1).padStart(3, '0');
        file(`r/cells/${number}-${name}/cell.json`, text('{}'))(folder);
      }
    },
  ),
  row(
    'report, a drill whose run is gone',
    'report @/r',
    0,
    /was kept without the run/,
    (folder) => {
      file('r/drill.json', json(sampleDrill().record))(folder);
    },
  ),
  row('report, a run that goes on', 'report @/r', 2, /is still running/, (folder) => {
    file('r/incomplete.json', json({ maker: thisProcess(), head }))(folder);
  }),
  row(
    'report, a run of process 1 of another container',
    'report @/r',
    0,
    /^$|without/,
    (folder) => {
      file('r/incomplete.json', json({ maker: { pid: 1, startedAtMs: 4711 }, head }))(folder);
    },
  ),
];

const TABLES: [string, string, Make, RegExp][] = [
  [
    'no gzip',
    'requests.csv.gz',
    text('no gzip'),
    /not a complete gzip file \(incorrect header check\)/,
  ],
  [
    'a wrong checksum',
    'requests.csv.gz',
    text(((bytes) => ((bytes[bytes.length - 6] = 0x55), bytes))(gzipSync('tMs\n1\n'.repeat(99)))),
    /cannot be read as the requests of a run/,
  ],
  [
    'other columns',
    'requests.csv.gz',
    text(gzipSync('a,b\n1,2\n')),
    /does not name the column tMs/,
  ],
  [
    'a row that is too short',
    'requests.csv.gz',
    text(gzipSync('tMs,durationMs,status,ok,errorKind,id,workload,ranBy,lateMs,connected\n1,2\n')),
    /a line has 2 cells/,
  ],
  [
    'words for numbers',
    'requests.csv.gz',
    text(
      gzipSync(
        'tMs,durationMs,status,ok,errorKind,id,workload,ranBy,lateMs,connected\nx,2,200,true,,i,w,,,\n',
      ),
    ),
    /tMs is 'x', not a number/,
  ],
  ['bytes at random', 'samples.csv', noise, /cannot be read as the samples of a run/],
  ['other columns', 'samples.csv', text('time,cpu\n1,2\n'), /does not name the column tMs/],
  ['one long line', 'samples.csv', text('x'.repeat(9999)), /it has no complete line/],
  [
    'words for numbers',
    'samples.csv',
    text('tMs,role,instance,metric,value\n1,main,main,rssMiB,much\n'),
    /value is 'much'/,
  ],
  ['a series of nothing', 'prometheus.json', text('{}'), /has schemaVersion nothing/],
];
const tableRows: Row[] = [
  ...TABLES.map(([title, name, make, says]) =>
    row(`report, ${name}: ${title}`, 'report @/r', 2, says, (folder) => {
      aRun(join(folder, 'r'));
      make(join(folder, 'r', name));
    }),
  ),
  ...['requests.csv.gz', 'samples.csv', 'prometheus.json'].flatMap((name) =>
    Object.entries(ODD)
      .filter(([title]) => title !== 'a link to itself' && title !== '300 MiB')
      .map(([title, [make, says]]) =>
        row(`report, ${name}: ${title}`, 'report @/r', 2, says, (folder) => {
          aRun(join(folder, 'r'));
          const path = join(folder, 'r', name);
          rmSync(path, { force: true });
          make(path);
        }),
      ),
  ),
];

const search = file('r/find.json', json(sampleSearch()));

const folderRows: Row[] = [
  row('report of nothing', 'report', 2, /missing required argument/),
  row('report of a folder that is not there', 'report @/none', 2, /there is no folder/),
  row('report of a file', 'report /etc/passwd', 2, /is a file/),
  row('report of a device', 'report /dev/null', 2, /is a file|is a device/),
  row('report of an empty folder', 'report @', 2, /no records found/),
  row(
    'report of a link to itself',
    'report @/loop',
    2,
    /there is no folder/,
    file('loop', ODD['a link to itself']?.[0] ?? noise),
  ),
  row('report --csv FOLDER', 'report @/r --csv @', 2, /is a folder/, search),
  row(
    'report --csv in a folder that is not there',
    'report @/r --csv @/a/b',
    2,
    /no folder/,
    search,
  ),
  row('report --s3 s3://', 'report @/r --s3 s3://', 2, /use a form such as s3:/, search),
  row('report --s3 x', 'report @/r --s3 x', 2, /use a form such as s3:/, search),
  row('report --prometheus x', 'report @/r --prometheus x', 2, /prometheus/i, search),
  row('good and bad records', 'report @', 3, /bad\/run.json cannot be read/, (folder) => {
    search(folder);
    file('bad/run.json', text('null'))(folder);
    aRun(join(folder, 'z'));
  }),
];

const evidenceRows: Row[] = [
  row(
    'recommend --from a folder that is not there',
    'recommend --from @/none',
    2,
    /there is no folder/,
  ),
  row('recommend --from a file', 'recommend --from /etc/passwd', 2, /is a file/),
  row('recommend --from nothing', 'recommend --from @', 2, /search/),
  row(
    'recommend --from {}',
    'recommend --from @/r',
    2,
    /find.json cannot be read/,
    file('r/find.json', text('{}')),
  ),
  row(
    'recommend --from a named pipe',
    'recommend --from @/r',
    2,
    /named pipe/,
    file('r/find.json', ODD['a named pipe']?.[0] ?? noise),
  ),
  row('recommend --write FOLDER', 'recommend --from @/r --write @', 2, /is a folder/, search),
  row(
    'recommend --write over a file',
    'recommend --from @/r --write @/v',
    2,
    /--force/,
    (folder) => {
      search(folder);
      file('v', text('a: 1\n'))(folder);
    },
  ),
  row('recommend --rate 0', 'recommend --from @/r --rate 0', 2, /number above 0/, search),
  row('recommend --rate NaN', 'recommend --from @/r --rate NaN', 2, /number above 0/, search),
  row(
    'recommend --rate 1e308',
    'recommend --from @/r --rate 1e308',
    1,
    /no recorded topology is enough/,
    (folder) => {
      search(folder);
    },
  ),
  row('recommend --slo banana', 'recommend --from @/r --slo banana', 2, /banana/, search),
  row('recommend --values without --prove', 'recommend --values @/v', 2, /--values requires/),
  ...Object.entries(ODD).map(([title, [make, says]]) =>
    row(
      `recommend --values ${title}`,
      'recommend --values @/v --prove --rate 1 --slo p95<1s',
      2,
      says,
      file('v', make),
    ),
  ),
  row(
    'recommend --values garbage',
    'recommend --values @/v --prove --rate 1 --slo p95<1s',
    2,
    /./,
    file('v', noise),
  ),
  row('predict --at NaN', 'predict --at NaN', 2, /number above 0/),
  row('predict --at -1', 'predict --at -1', 2, /number above 0/),
  row(
    'predict --from a folder that is not there',
    'predict --at 2 --from @/none',
    2,
    /there is no folder/,
  ),
  row('predict --from a file', 'predict --at 2 --from /etc/passwd', 2, /is a file/),
  row(
    'predict --from {}',
    'predict --at 2 --from @/r',
    2,
    /find.json cannot be read/,
    file('r/find.json', text('{}')),
  ),
  row('compare of one', 'compare @/r', 2, /./, search),
  row('compare of records that are not there', 'compare @/a @/b', 2, /./),
  row('compare of a broken record', 'compare @/r @/s', 2, /cannot be read/, (folder) => {
    file('r/run.json', text('null'))(folder);
    aRun(join(folder, 's'));
  }),
  row('compare of two kinds', 'compare @/r @/s', 2, /./, (folder) => {
    search(folder);
    aRun(join(folder, 's'));
  }),
  row(
    'compare of broken YAML',
    'compare @/a.yaml @/a.yaml',
    2,
    /a.yaml/,
    file('a.yaml', text('a: [1,')),
  ),
  ...Object.entries(ODD)
    .filter(([title]) => title !== 'a folder')
    .map(([title, [make, says]]) =>
      row(`compare of ${title}`, 'compare @/a.yaml @/a.yaml', 2, says, file('a.yaml', make)),
    ),
];

const BOMB = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
  .split('')
  .map((name, index) => {
    const before = 'abcdefgh'[index] ?? '';
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`;
  })
  .join('\n')}\n`;

/** What a person writes by hand, where each option takes it. */
const WRITTEN: Record<string, string> = {
  'sweep --dry-run -f': 'plan',
  'run --topology': 'topology',
  'find --slo p95<1s --topology': 'topology of find',
  'run --workload': 'workload',
  'run --url http://127.0.0.1:1 --request GET~/x --workflow': 'workflow',
  'run --target kubernetes --kubeconfig @/kc --chart': 'chart file',
  'run --target kubernetes --kubeconfig @/kc --values': 'values file',
};
const kubeconfig = json({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: {} }],
});
const writtenRows: Row[] = Object.entries(WRITTEN).flatMap(([call, what]) => {
  const one = (title: string, make: Make | null, says: RegExp): Row => ({
    ...row(`${what}: ${title}`, `${call} @/w.yaml`, 2, says, (folder) => {
      put(join(folder, 'kc'), kubeconfig);
      if (make !== null) put(join(folder, 'w.yaml'), make);
    }),
  });
  return [
    one('not there', null, /no such file/),
    one('a list', text('- 1\n'), /./),
    one('a number', text('5\n'), /./),
    one('broken YAML', text('a: [1,\nb: {'), /./),
    one('bytes at random', noise, /./),
    one('one alias a billion times', text(BOMB), /./),
    one('a key of no meaning', text('no-such-key-at-all: 1\n'), /./),
    one('a key twice', text('a: 1\na: 2\n'), /./),
    ...Object.entries(ODD).map(([title, [make, says]]) => one(title, make, says)),
  ];
});

const KUBE: [string, Make, RegExp][] = [
  ['empty', text(''), /it is empty/],
  ['null', text('null'), /kubeconfig/],
  ['a list', text('[]'), /kubeconfig/],
  ['garbage', text('}{'), /cannot be read as a kubeconfig/],
  ['bytes at random', noise, /cannot be read as a kubeconfig/],
  ['of no context', text('apiVersion: v1\nkind: Config\n'), /kubeconfig/],
  [
    'with a server without TLS',
    text(
      `apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\nusers: [{name: u, user: {}}]\n`,
    ),
    /not sent without TLS/,
  ],
  ...Object.entries(ODD).map(([title, [make, says]]): [string, Make, RegExp] => [
    title,
    make,
    says,
  ]),
];
const kubeRows: Row[] = ['run --target kubernetes', 'clean', 'doctor --target kubernetes'].flatMap(
  (call) => [
    row(`${call}: kubeconfig not there`, `${call} --kubeconfig @/kc`, 2, /no such file/),
    ...KUBE.map(([title, make, says]) =>
      row(`${call}: kubeconfig ${title}`, `${call} --kubeconfig @/kc`, 2, says, file('kc', make)),
    ),
  ],
);

const own = 'run --url http://127.0.0.1:1 --request';
const optionRows: Row[] = [
  row('no such command', 'fly', 2, /unknown command/),
  row('no such option', 'run --fly', 2, /unknown option/),
  row('--url example.com', 'run --url example.com', 2, /example.com/),
  row('--url file:', 'run --url file:///etc/passwd', 2, /--url/),
  row(
    '--stand-in by HTTPS',
    'run --url http://a --stand-in https://a:1',
    2,
    /http:\/\/10.0.0.5:5690/,
  ),
  row(
    '--stand-in with a path',
    'run --url http://a --stand-in http://a:1/b',
    2,
    /Use a form such as/,
  ),
  row('--url with a password', 'run --url http://a:secret-word@127.0.0.1:1', 2, /./),
  row('--request BREW', `${own} BREW~/x`, 2, /BREW/),
  row('--request of one word', `${own} x`, 2, /./),
  row('--body @ a file that is not there', `${own} POST~/x --body @@/none`, 2, /no such file/),
  ...Object.entries(ODD).map(([title, [make, says]]) =>
    row(`--body @ ${title}`, `${own} POST~/x --body @@/b`, 2, says, file('b', make)),
  ),
  row('a closed port', `${own} GET~/x --ready 1s`, 2, /127.0.0.1:1/),
  row('--header without a colon', `${own} GET~/x --header x`, 2, /./),
  row('--slo banana', 'run --slo banana', 2, /banana/),
  row('--slo p95<300', 'run --slo p95<300', 2, /unit/),
  row('--duration 0s', 'run --duration 0s', 2, /./),
  row('--duration soon', 'run --duration soon', 2, /Use a form such as 30s/),
  row('--rate 0', 'run --rate 0', 2, /the rate 0 is out of range/),
  row('--rate NaN', 'run --rate NaN', 2, /It must be a number/),
  row('--param without a value', 'run --param n', 2, /./),
  row('--param of a shell', 'run --workload sub-workflow --param n=;rm~-rf', 2, /./),
  row('--workload of no name', 'run --workload nothing-like-this', 2, /there is no workload/),
  row('--memory banana', 'run --memory banana', 2, /Use a form such as/),
  row('--env without a value', 'run --env A', 2, /NAME=value/),
  ...['find --anyway', 'run', 'compare --anyway http://127.0.0.1:1'].map((call) =>
    row(
      `${call}: nothing answers, so no folder stays`,
      `${call} ${call.startsWith('c') ? 'http://127.0.0.1:2 ' : '--url http://127.0.0.1:1 '}--request GET~/x --slo p95<1s --ready 1s`,
      2,
      /127.0.0.1:1/,
    ),
  ),
  // Nothing is started for a search that cannot make a single probe.
  ...(
    [
      ['find --budget 0s', /--budget is 0 s, but a search takes at least 23 s/],
      ['find --budget 22s', /--budget is 22 s, but a search takes at least 23 s/],
      [
        'find --workload wait-5s --budget 25s',
        /--budget is 25 s, but a search takes at least 30 s/,
      ],
      ['find --rate 30 --budget 14s', /--budget is 14 s, but an attempt takes at least 15 s/],
      [
        'find --workload wait-5s --rate 30 --budget 14s',
        /--budget is 14 s, but an attempt takes at least 15 s/,
      ],
      [
        'compare http://127.0.0.1:1 http://127.0.0.1:2 --request GET~/x --metric capacity --find-budget 5s',
        /--find-budget is 5 s, but a search takes at least 23 s/,
      ],
    ] as const
  ).map(([call, says]) => row(`${call}: too short for a probe`, call, 2, says)),
  row('down zzz', 'down zzz', 2, /there is no instance with the name/),
  row('down ../../x', 'down ../../x', 2, /is not a name/),
  row('up --name of a path', 'up --name ../x', 2, /is not a name/),
  row('watch zzz', 'watch zzz', 2, /zzz/),
  row('sample --pid of nobody', 'sample --pid 4194304', 2, /no process has the pid/),
  row(
    'sample --csv FOLDER',
    `sample --pid ${String(process.pid)} --csv @ --duration 1s`,
    2,
    /is a folder/,
  ),
  row('study of no name', 'study nothing-like-this', 2, /nothing-like-this/),
  row('drill explode', 'drill explode', 2, /explode/),
  row(
    'drill with a promise of nothing',
    'drill kill-worker --workers 1 --promise moon=1',
    2,
    /moon/,
  ),
  row('recover without a key', 'recover --url http://127.0.0.1:1', 2, /N8N_API_KEY/, undefined, {
    N8N_API_KEY: '',
  }),
  row('recover at a closed port', 'recover --url http://127.0.0.1:1', 3, /127.0.0.1:1/, undefined, {
    N8N_API_KEY: 'k',
  }),
  row(
    'recover --redis %%%',
    'recover --url http://127.0.0.1:1 --redis %%%',
    2,
    /--redis/,
    undefined,
    { N8N_API_KEY: 'k' },
  ),
  row(
    'recover --redis at a closed port',
    'recover --url http://127.0.0.1:1 --redis redis://127.0.0.1:1',
    3,
    /Redis at 127.0.0.1:1 could not be queried: nothing listens at 127.0.0.1:1: is Redis running/,
    undefined,
    { N8N_API_KEY: 'k' },
  ),
];

const standInRows: Row[] = [
  row(
    'rules of a stand-in with a key that is none',
    'stand-in --rules @/r.yaml --duration 1s',
    2,
    /r\.yaml:2: 'latncy'.*latency/,
    file('r.yaml', text('rules:\n  - latncy: 5ms\n')),
  ),
  row(
    'rules of a stand-in that are not there',
    'stand-in --rules @/none.yaml',
    2,
    /--rules .*none\.yaml cannot be read/,
  ),
  row(
    'a certificate without its key',
    'stand-in --tls-cert cert.pem',
    2,
    /--tls-cert and --tls-key require each other/,
  ),
  row('a port that is none', 'stand-in --port http', 2, /whole number from 0 to 65535/),
  row('a twin of nothing', 'twin', 2, /specify the exported workflow, or --url/),
  row(
    'a twin at an n8n of no workflow',
    'twin --url http://127.0.0.1:9',
    2,
    /--workflow with the id/,
  ),
  row(
    'a twin of one and of all',
    'twin --url http://127.0.0.1:9 --workflow 7 --all',
    2,
    /--workflow with the id of one workflow, or --all/,
  ),
  row(
    'a twin of a file and of an n8n',
    'twin w.json --url http://127.0.0.1:9',
    2,
    /use only one of them/,
  ),
  row(
    'a twin at an n8n without a key',
    'twin --url http://127.0.0.1:9 --workflow 7',
    2,
    /set N8N_API_KEY/,
  ),
  row(
    'a twin at an n8n with an execution of a file',
    'twin --url http://127.0.0.1:9 --workflow 7 --from-execution e.json',
    2,
    /remove --from-execution/,
  ),
  row(
    'a twin of all by one trigger',
    'twin --url http://127.0.0.1:9 --all --trigger Webhook',
    2,
    /--trigger works only with a single workflow/,
  ),
  row(
    'a twin of a file that is no workflow',
    'twin @/w.json',
    2,
    /w\.json is not an exported workflow/,
    file('w.json', text('{}')),
  ),
  row(
    'a twin of a workflow without a trigger',
    'twin @/w.json',
    2,
    /no trigger that a request can start/,
    file('w.json', text('{"nodes":[],"connections":{}}')),
  ),
  row(
    'values to keep without an execution',
    'twin @/w.json --keep-values',
    2,
    /--keep-values works only with --from-execution/,
    file('w.json', text('{"nodes":[],"connections":{}}')),
  ),
];

export const ROWS: Row[] = [
  ...[...recordRows, ...changedRows, ...tableRows, ...folderRows, ...evidenceRows],
  ...[...writtenRows, ...kubeRows, ...optionRows],
  ...standInRows,
];
