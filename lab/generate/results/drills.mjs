// What was lost in drills: those of the plan as one table, and each other one as a row.
import { recordsIn, WORDS } from './drill-cells.mjs';
import { settings } from './drill-settings.mjs';
import { drillTable, measured } from './drill-table.mjs';
import { manyKills } from './many-kills.mjs';
import { number, table } from './records.mjs';

const FOLDER = 'studies/drills/results/';

const drills = () =>
  recordsIn(FOLDER).toSorted(
    (a, b) => a.fault.name.localeCompare(b.fault.name) || a.startedAt.localeCompare(b.startedAt),
  );

export function answer() {
  const all = [...measured().map(({ drill }) => drill), ...drills()];
  const count = (outcome) => all.filter(({ verdict }) => verdict.outcome === outcome).length;
  return {
    sentence: `Of ${all.length} drills kept, ${count('pass')} passed, ${count('fail')} failed and ${count('invalid')} are invalid.`,
  };
}

export function part() {
  const all = drills();
  const planned = `${drillTable()}${manyKills()}${settings()}`;
  if (all.length === 0) return planned;
  return `${planned}
## Other drills

At ${[...new Set(all.map(({ ratePerSecond }) => `${number(ratePerSecond)}/s`))].join(', ')} of requests whose work a service outside n8n counts.
An invalid drill says nothing about n8n; the table says why it is invalid, and has its figures all the same. [The page of
drills](drills.md) says what each class means, and what each fault does.

${table(
  [
    'drill',
    'target',
    'workers',
    'webhook processors',
    'n8n',
    'requests',
    'answered and executed once',
    'other',
    'met the SLO again',
    'verdict',
    'record',
  ],
  all.map(rowOf),
)}

The commands, in the same order:

${all.map(({ command }) => `- \`n8n-tuned ${command.map(quoted).join(' ')}\``).join('\n')}
`;
}

const quoted = (word) => (/^[\w.,:/=@%+-]+$/.test(word) ? word : `'${word}'`);

function rowOf({ path, fault, target, topology, versions, ledger, figures, verdict }) {
  const { once, ...others } = ledger.classes;
  const other = Object.entries(others)
    .filter(([, { requests }]) => requests > 0)
    .map(([name, { requests }]) => `${requests} ${WORDS[name]}`);
  const recovered = figures?.recoverSeconds ?? null;
  return [
    `${fault.name}${fault.everySeconds === undefined ? '' : ` every ${number(fault.everySeconds)} s`}`,
    target.kind,
    topology?.mode === 'queue' ? (topology.workers?.count ?? '-') : 'none',
    topology?.webhooks?.count ?? 0,
    versions.n8n ?? '-',
    ledger.sent,
    once.requests,
    other.join(', ') || 'none',
    recovered === null
      ? 'not seen'
      : recovered === 0
        ? 'never missed'
        : `after ${number(recovered)} s`,
    verdictOf(verdict),
    `[record](../${path})`,
  ];
}

function verdictOf({ outcome, invalid, promises }) {
  const broken = promises
    .filter(({ kept }) => !kept)
    .map(({ promise, measured }) => `${promise.text} promised, ${measured}`);
  const why = { invalid, fail: broken }[outcome] ?? [];
  return `${outcome.toUpperCase()}${why.length > 0 ? `: ${why.join('; ')}` : ''}`;
}
