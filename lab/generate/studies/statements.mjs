// The statements of an execution, by the process that sends them and by what in n8n asks for them; and what could be spared.
import { has, hrefOf, link, number, readJson, table } from '../records.ts';

const FOLDER = 'studies/statements/results';
const PROFILE = 'studies/cpu-profile/results/queue-last-node.json';
const NAMES = ['queue-none', 'queue-default', 'regular-none', 'regular-default'];
const ROLES = { main: 'main', webhook: 'webhook processor', worker: 'worker' };
/** Whose CPU a statement costs n8n. */
const DATABASE_PACKAGES = ['pg', '@n8n/typeorm'];

/** Those that another n8n could do without, with the reason; read in n8n 2.41.1. */
const SPARED = [
  {
    why: 'the sizes are written apart from the row that was written just before',
    is: ({ statement }) => /^UPDATE execution_entity: jsonSizeBytes/.test(statement),
  },
  {
    why: 'whether a workflow has ever fetched data is asked again in each execution',
    is: ({ statement }) => statement === 'SELECT FROM workflow_statistics',
  },
  {
    why: 'a transaction that reads the time of the start and then writes one row',
    is: ({ statement, callers }) =>
      /^(START TRANSACTION|COMMIT)$/.test(statement) && callers[0]?.includes('.setRunning '),
  },
];
const reasonOf = (one) => SPARED.find(({ is }) => is(one))?.why ?? '';

export function statements() {
  const records = NAMES.filter((name) => has(pathOf(name))).map((name) => ({
    ...{ name, path: pathOf(name) },
    ...readJson(pathOf(name)),
  }));
  const whole = records.find(({ name }) => name === 'queue-default');
  if (whole === undefined) return '';
  return `## Which statements an execution sends to PostgreSQL

One client calls the workload last-node, n8n ${whole.versions.n8n}; every statement is noted, with the function of n8n that asked for it.
Statements that timers send are not counted. Repeat it with
\`${whole.command ?? 'node studies/statements/measure.mjs queue-default'}\`, and the others by their names.

${table(
  ['mode', 'tuning', 'for an execution', 'of them SET', 'record'],
  records.map((record) => [
    record.mode,
    record.tuning,
    number(sumOf(record.statements)),
    number(sumOf(record.statements.filter(({ statement }) => statement.startsWith('SET ')))),
    link(record.path),
  ]),
)}

### Those of queue mode with the chart's defaults

${table(
  ['process', 'statement', 'for an execution', 'asked for by', 'could be spared, since'],
  rowsOf(whole),
)}
${worth(whole)}`;
}

const pathOf = (name) => `${FOLDER}/${name}.json`;
const sumOf = (some) => some.reduce((sum, { perResponse }) => sum + perResponse, 0);

const rowsOf = ({ statements: some }) =>
  Object.keys(ROLES).flatMap((role) =>
    some
      .filter((one) => one.role === role)
      .map((one) => [
        ROLES[role],
        one.statement,
        number(one.perResponse),
        one.callers[0] ?? 'not known',
        reasonOf(one),
      ]),
  );

/** Of the CPU of a response in queue mode: all that the database takes, shared out over the statements. */
function worth({ statements: some }) {
  if (!has(PROFILE)) return '';
  const { processes, responses } = readJson(PROFILE);
  const perResponse = (groups) => groups.reduce((sum, { ms }) => sum + ms, 0) / responses;
  const parts = processes.map(({ role, groups }) => {
    const own = some.filter((one) => one.role === role);
    const isDatabase = ({ name }) => DATABASE_PACKAGES.includes(name);
    const all = sumOf(own);
    const share = all === 0 ? 0 : sumOf(own.filter((one) => reasonOf(one) !== '')) / all;
    return {
      allMs: perResponse(groups.filter(({ name }) => name !== 'idle')),
      sparedMs: share * perResponse(groups.filter(isDatabase)),
    };
  });
  const total = (key) => parts.reduce((sum, part) => sum + part[key], 0);
  const spared = number(sumOf(some.filter((one) => reasonOf(one) !== '')));
  const percent = number((100 * total('sparedMs')) / total('allMs'));
  return `
${spared} of the ${number(sumOf(some))} could be spared. If each statement costs n8n the same share of what TypeORM and pg take in
[the profile](${hrefOf(PROFILE)}) of the same load, they take ${number(total('sparedMs'))} ms of the ${number(total('allMs'))} ms of CPU of a
response, ${percent}%: an estimate, not a measurement. No patch of this kit changes them.`;
}
