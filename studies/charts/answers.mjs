// Whether every caller gets a response in queue mode: our chart under clients that each wait for theirs, until so many
// requests are done.
//
//   make build cluster-up
//   lab/cluster/cluster exec node studies/charts/answers.mjs --requests 100000
import { parseArgs } from 'node:util';
import { commandOf } from '../command-of.mjs';
import * as on from './contenders.mjs';
import { recordsOf } from '../archive.mjs';

const CLIENTS = 16;
const SECONDS = 180;

const { values } = parseArgs({ options: { requests: { type: 'string', default: '100000' } } });
const wanted = Number(values.requests);

const ours = on.contender({ name: 'tuned-throughput', mode: 'queue' });
const runs = [];
const lost = () => total('wrong') + total('unanswered');
const total = (key) => runs.reduce((sum, run) => sum + run[key], 0);
try {
  await on.install(ours);
  while (total('requests') < wanted) {
    runs.push(on.load(ours, { clients: CLIENTS, seconds: SECONDS }));
    console.log(
      `${total('requests')} of ${wanted} requests, ${lost()} without an expected response`,
    );
  }
} finally {
  on.uninstall([ours]);
  if (runs.length > 0) {
    const record = {
      ...{ when: new Date().toISOString(), command: commandOf(import.meta.filename) },
      ...{ workload: on.WORKLOAD, clients: CLIENTS },
    };
    const totals = { requests: total('requests'), lost: lost() };
    recordsOf('charts').write('answers', { ...record, ...totals, runs });
  }
}
