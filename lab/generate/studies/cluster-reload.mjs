// What a reload by PM2 costs under load, with every request accounted for (studies/cluster-loop/reload.mjs).
import { has, link, number, readJson, table } from '../records.ts';
import { isQuiet, otherCores, recordOf, runConditionsText } from './study.mjs';

const NAME = 'cluster-loop';
const ENDS = {
  'at once': 'ends at once',
  close: 'ends when its open requests are done',
  drain: 'first sends its clients away',
};
const KINDS = {
  unanswered: 'no response',
  'reset on idle connection': 'reset on an old connection',
};

const total = (values) => values.reduce((sum, value) => sum + value, 0);
const of = (runs, figure) => total(runs.map(figure));

/** {mode, asks, leaves, runs, record} of each way, in the order in which they are listed; none without a record. */
function ways() {
  const path = pathOf();
  if (path === null) return [];
  const runs = readJson(path).runs.filter(({ isValid }) => isValid);
  return [...new Set(runs.map(({ name }) => name))].map((name) => {
    const same = runs.filter((run) => run.name === name);
    const records = same.map(({ run }) => readJson(path.replace('reload.json', `${run}/run.json`)));
    return {
      ...same[0],
      runs: same,
      record: records[0],
      reloads: of(same, ({ reloads }) => reloads.length),
      sent: of(same, ({ sent }) => sent),
      lost: of(same, ({ sent, expected }) => sent - expected),
      longestMs: Math.max(...records.map(({ summary }) => summary.latencyMs?.max ?? NaN)),
      others: Math.max(...records.map(otherCores)),
    };
  });
}

function pathOf() {
  const folder = recordOf(NAME);
  const path = `${folder}/reload/reload.json`;
  return folder !== null && has(path) ? path : null;
}

function howLost(runs) {
  const kinds = [...new Set(runs.flatMap(({ failures }) => Object.keys(failures)))].toSorted();
  const counted = kinds.map(
    (kind) => `${KINDS[kind] ?? kind} ${of(runs, ({ failures }) => failures[kind] ?? 0)}`,
  );
  return counted.join(', ') || '-';
}

/** For the index, to come after another sentence; empty without a record. */
export function reloadSentence() {
  const find = (leaves) => ways().find((way) => way.asks === 'reload' && way.leaves === leaves);
  const [atOnce, drain] = ['at once', 'drain'].map(find);
  if (atOnce === undefined || drain === undefined) return '';
  const lost = ({ lost, sent }) => `${lost} of ${sent}`;
  return ` While PM2 reloads a server that ends at once, ${lost(atOnce)} requests are lost; of one that first sends its clients away, ${lost(drain)}.`;
}

export function reloads() {
  const all = ways();
  if (all.length === 0) return '';
  const path = pathOf();
  const { load, runs } = readJson(path);
  const invalid = runs.filter(({ isValid }) => !isValid).length;
  const rows = all.map((way) => [
    `${way.mode}, ${way.processes === 1 ? 'one process' : `${way.processes} processes`}`,
    way.asks === null ? 'nothing' : `\`pm2 ${way.asks}\``,
    ENDS[way.leaves],
    way.reloads,
    way.sent,
    way.sent - way.lost,
    way.lost,
    way.reloads === 0 ? '-' : number(way.lost / way.reloads),
    howLost(way.runs),
    of(way.runs, ({ away }) => away),
    of(way.runs, ({ notSent }) => notSent),
    `${number(way.longestMs)} ms`,
    number(way.others),
  ]);
  return `## PM2 replaces the processes under load

A bare server under PM2 is asked for a loop of n = ${number(load.n)} counts, ${load.ratePerSecond} times per second, whether or not
earlier requests have had their responses. Meanwhile PM2 is asked to replace its processes: in cluster mode by
\`pm2 reload\`, in fork mode, which cannot reload, by \`pm2 restart\`. PM2 sends SIGINT and kills what has not ended after a
while. The server does not handle that signal; or it ends when its open requests have had their responses; or before that,
for a second, it responds with \`Connection: close\`. The requests are POSTs: an HTTP client may send a GET
again by itself. ${runConditionsText(all[0].record)}

${table(
  [
    ...['PM2', 'asked of it', 'the server', 'times', 'sent', 'expected responses', 'lost'],
    ...['lost each time', 'how', 'of them away from a reload', 'not sent', 'longest wait'],
    'cores used by other work',
  ],
  rows,
)}

Reset on an old connection: the client had kept the connection from an earlier request. Refused: nothing listened. No
response: the connection stayed open, and nothing came.${all.every(isQuiet) ? '' : ' Where other work used much of the machine, a reload takes longer, and more requests meet it.'}${invalid === 0 ? '' : ` Left out: ${invalid} of ${runs.length} runs, in which the load ended before the reload did, or its generator was at fault.`}

**Why it differs from what was published.** PM2 calls its reload one without downtime, and publishes no figure. In cluster
mode something listens all the time, so no connection is refused; but what a process has taken over is lost with it,
unless the server itself finishes it, and it has to be told by code of its own.

${link(path)}, \`n8n-tuned study cluster-loop\``;
}
