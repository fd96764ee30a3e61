import { ledgerCsv } from '../../../../../cli/src/features/drill/report/ledger-csv';
import { drillCharts } from '../../../../../cli/src/features/drill/report/charts';
import { drillFigureRows, howSure } from '../../../../../cli/src/features/drill/report/figures';
import { sampleDrill } from '../../../../support/sample-drill';
import { drillDocument } from '../../../../../cli/src/features/drill/report/document';
import { renderHtml } from '../../../../../cli/src/report/page/html';

const { record, ...parts } = sampleDrill();

test('the fault stands on the time axis of every plot over time', () => {
  const charts = drillCharts(record, parts);
  expect(charts.map(({ id }) => id).slice(0, 3)).toEqual(['ledger', 'rate', 'latency']);
  for (const chart of charts) {
    if (chart.kind !== 'line' || chart.x.unit !== 's' || chart.id === 'distribution') continue;
    const marks = (chart.marks ?? []).filter(({ label }) => label === 'SIGKILL of worker-1');
    expect([chart.id, marks]).toEqual([
      chart.id,
      [{ axis: 'x', at: 30, label: 'SIGKILL of worker-1' }],
    ]);
  }
});

test('the plot of the ledger counts every request that is not as it should be', () => {
  const [ledger] = drillCharts(record, parts);
  if (ledger?.kind !== 'line') throw new Error('it is a line chart');
  const plotted = ledger.series.flatMap(({ points }) => points.map(([, count]) => count ?? 0));
  const { sent, classes } = record.ledger;
  expect(plotted.reduce((a, b) => a + b, 0)).toBe(sent - classes.once.requests);
});

test('the page is one file with the verdict, the ledger and the promises', () => {
  const html = renderHtml(drillDocument(record, parts));
  expect(html).toContain('<strong>FAIL</strong>');
  expect(html).toContain('accepted and lost');
  expect(html).not.toMatch(/(src|href)="https?:/);
});

test('where it is not known when requests were due, the plot of the ledger has a bar for each class', () => {
  const untimed = { ...record };
  delete untimed.timeline;
  const [ledger, ...others] = drillCharts(untimed, null);
  expect(others).toEqual([]);
  expect(ledger).toMatchObject({
    ...{ kind: 'bar', id: 'ledger' },
    bars: [{ label: 'accepted and lost', value: record.ledger.classes.lost.requests }],
  });
});

test('a drill without its run has the plot of the ledger, and points at nothing that is not there', () => {
  const html = renderHtml(drillDocument(record));
  expect(html).toContain('Requests that were not answered and executed once');
  expect(html).not.toContain('beside this file');
});

test('what a drill without a loss rules out is said of faults, and of requests by what was in flight', () => {
  const classes = { ...record.ledger.classes, lost: { requests: 0, ids: [] } };
  const lossless = { ...record.ledger, classes, lost: 0, exposed: 300 };
  const drill = { ...record, ledger: { ...lossless, inFlight: { executions: 30, faults: 1 } } };
  expect(howSure(drill)).toContain(
    'With 95% confidence, at most 95% of such faults lose a request; if they lose everything in flight on the victim, at most 9.5% of exposed requests are lost.',
  );
  expect(drillFigureRows(drill)).toContainEqual({
    name: 'Lost',
    value: '0 of 300 exposed requests; at most 95% of such faults lose any (95% confidence)',
  });
  const lossy = { ...drill, ledger: { ...drill.ledger, lost: 3 } };
  expect(howSure(lossy)).not.toContain('confidence');
  expect(drillFigureRows(lossy)).toContainEqual({
    name: 'Lost',
    value: '3 of 300 exposed requests (1%)',
  });
});

test('what recovery did beside it is said, and nothing where none ran', () => {
  const recovery = {
    ...{ ageSeconds: 60, everySeconds: 10, passes: 12, failedPasses: 2 },
    ...{ attempts: { recovered: 7, 'lost again': 1 }, left: { 'its data was pruned': 1 } },
  };
  const retried = (drill: typeof record): string[] =>
    drillFigureRows(drill).flatMap(({ name, value }) => (name === 'Retried' ? [value] : []));
  expect(retried({ ...record, recovery })).toEqual([
    '7 recovered, 1 lost again; left alone in the end: 1 its data was pruned; 12 passes of recovery; 2 of them could not reach n8n or Redis',
  ]);
  expect(retried(record)).toEqual([]);
});

test('ledger.csv has a line for each request, and a question mark where a source is missing', () => {
  const rows = [
    {
      tMs: 1,
      id: 'x-0-0',
      class: 'unknown' as const,
      heard: 'nothing',
      executions: null,
      effects: null,
    },
    {
      tMs: 2,
      id: 'x-0-1',
      class: 'refused' as const,
      heard: 'error',
      executions: [],
      effects: null,
    },
  ];
  expect(ledgerCsv(rows)).toBe(
    'tMs,id,class,heard,executions,begun,done\n1,x-0-0,unknown,nothing,?,?,?\n2,x-0-1,refused,error,,?,?\n',
  );
});
