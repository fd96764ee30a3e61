import { renderCsv } from '../../../../cli/src/run/report/csv';
import { runCharts } from '../../../../cli/src/run/report/charts';
import type { Summary } from '../../../../cli/src/record/run-record';
import { sampleRequests, sampleRun } from '../../../support/sample-run';
import { reportFiles } from '../../../../cli/src/report/files';
import { renderHtml } from '../../../../cli/src/report/page/html';
import { runDocument } from '../../../../cli/src/run/report/document';
import { renderMarkdown } from '../../../../cli/src/report/text/markdown';
import { renderTerminal } from '../../../../cli/src/report/text/terminal';

const data = sampleRun();

describe('the charts of a run', () => {
  const charts = runCharts(data);

  it('show what was recorded, in reading order', () => {
    expect(charts.map((c) => c.id)).toEqual([
      'rate',
      'latency',
      'distribution',
      'errors',
      'memory',
      'cpu',
      'processes',
      'queue',
      'loop-lag',
      'spread',
    ]);
  });

  it('give the offered and achieved rate of each window', () => {
    const rate = charts[0];
    if (rate?.kind !== 'line') throw new Error('the first chart is no line chart');
    const [offered, achieved] = rate.series;
    expect(offered?.points[10]).toEqual([10.5, expect.closeTo(40, 6)]);
    expect(achieved?.points.map((p) => p[1])).toEqual(
      expect.arrayContaining([expect.closeTo(38, 6), expect.closeTo(39, 6)]),
    );
  });

  it('sum memory over the instances of a role', () => {
    const memory = charts.find((c) => c.id === 'memory');
    if (memory?.kind !== 'line') throw new Error('no memory chart');
    expect(memory.series.find((s) => s.label === 'worker')?.points[5]?.[1]).toBe(310 + 330 + 2 * 5);
  });

  it('do not dip where the tick of one instance fell just beside a window', () => {
    const late = data.samples.map((sample) =>
      sample.instance === 'worker-2' && sample.tMs === 20_000 ? { ...sample, tMs: 21_005 } : sample,
    );
    const memory = runCharts({ ...data, samples: late }).find((c) => c.id === 'memory');
    if (memory?.kind !== 'line') throw new Error('no memory chart');
    const worker = memory.series.find((s) => s.label === 'worker')?.points[20]?.[1];
    expect(worker).toBe(310 + 20 + 330 + 19);
  });

  it('leave out what was not recorded', () => {
    const bare = runCharts({
      ...data,
      samples: [],
      record: { ...data.record, summary: { ...data.record.summary, spread: [] } },
    });
    expect(bare.map((c) => c.id)).toEqual(['rate', 'latency', 'distribution', 'errors']);
  });
});

describe('the page', () => {
  const html = renderHtml(runDocument(data));

  it('is headed by what was loaded and what came of it, with the title of the workload beneath', () => {
    expect(html).toContain('<title>Run of last-node: not sustained</title>');
    expect(html).toContain('<h1>Run of last-node: not sustained</h1>');
    expect(html).toContain(
      '<p class="faint">Webhook to last node, GET /webhook/last-node, profile',
    );
  });

  it('names a request of your own once', () => {
    const { record } = data;
    const own = { ...record.workload, name: 'request', title: 'POST /order' };
    const workload = { ...own, method: 'POST', path: '/order' };
    const page = renderHtml(runDocument({ ...data, record: { ...record, workload } }));
    expect(page).toContain('<h1>Run of POST /order: not sustained</h1>');
    expect(page).toContain('<p class="faint">POST /order, profile load');
  });

  it('begins with the verdict and asks for nothing from outside', () => {
    const verdict = html.indexOf('n8n did not sustain 40 req/s');
    expect(verdict).toBeGreaterThan(0);
    expect(verdict).toBeLessThan(html.indexOf('<svg'));
    expect(html.replace(/http:\/\/(www\.w3\.org|127\.0\.0\.1)[^\s"<]*/g, '')).not.toMatch(
      /https?:\/\//,
    );
    expect(Buffer.byteLength(html)).toBeLessThan(2_000_000);
  });

  it('shows text from the run as text', () => {
    const evil = sampleRun(
      sampleRequests().map((r) => (r.ok ? r : { ...r, errorKind: '</script><b>' })),
    );
    evil.record.events.push({ tMs: 0, kind: 'x', text: '<img src=x onerror=alert(1)>' });
    evil.record.summary.errors.byKind = { '</script><b>': 3 };
    const page = renderHtml(runDocument(evil));
    expect(page).not.toContain('<img');
    expect(page).not.toContain('</script><b>');
  });
});

describe('the twins', () => {
  it('Markdown names the verdict, the figures and a plot file for each chart', () => {
    const markdown = renderMarkdown(runDocument(data));
    expect(markdown).toContain('**NOT SUSTAINED: n8n did not sustain 40 req/s');
    expect(markdown).toContain('| Latency | p50 108 ms, p90 147 ms, p95 152 ms, p99 1.01 s');
    const drawn = reportFiles(runDocument(data)).filter(({ name }) => name.startsWith('plots/'));
    expect(drawn.length).toBeGreaterThan(5);
    for (const { name } of drawn) expect(markdown).toContain(name);
    const rate = drawn.find(({ name }) => name === 'plots/rate.svg')?.content;
    expect(rate).toMatch(/^<svg [^>]+><desc>offered, achieved/);
  });

  it('CSV has one line a run and quotes what needs it', () => {
    const odd = structuredClone(data.record);
    odd.workload.name = 'a "b", c';
    const [head, first, second, end] = renderCsv([data.record, odd]).split('\n');
    expect(head?.split(',')).toHaveLength(first?.split(',').length ?? 0);
    expect(second).toContain('"a ""b"", c"');
    expect(end).toBe('');
  });

  it('stalls are told with what was seen meanwhile, and not where there were none', () => {
    const { record } = data;
    const shown = (more: Partial<Summary>): string =>
      renderMarkdown(
        runDocument({ ...data, record: { ...record, summary: { ...record.summary, ...more } } }),
      );
    expect(shown({ stallsMs: [705, 320], stallCauses: { cpuLimit: 1, collection: 0 } })).toContain(
      '| Stalls | no response for up to 705 ms although requests waited (2 times); seen meanwhile: a CPU limit stopped a process during 1 stall |',
    );
    expect(shown({ stallsMs: [705] })).toContain(
      '| Stalls | no response for up to 705 ms although requests waited (once) |',
    );
    expect(shown({ stallsMs: [] })).not.toContain('| Stalls |');
  });

  it('the terminal tells what it takes where its price was asked for', () => {
    const priced = { ...data.record, prices: { cpu: 1, memory: 0.1 } };
    const wide = { width: 200, colour: false };
    expect(renderTerminal(runDocument({ record: data.record }), wide)).not.toContain(
      'A million requests',
    );
    expect(renderTerminal(runDocument({ record: priced }), wide)).toMatch(
      /A million requests {2}.* GiB-hours; cost \d/,
    );
  });

  it('the terminal tells it on a screen of 24 lines of 80 columns, without colour codes unless asked', () => {
    const text = renderTerminal(runDocument({ record: data.record }), { width: 80, colour: false });
    const lines = text.split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map((l) => l.length))).toBeLessThanOrEqual(80);
    expect(text).not.toContain('\u001b');
    expect(text).toMatch(/^NOT SUSTAINED {2}n8n did not sustain/);
    expect(
      renderTerminal(runDocument({ record: data.record }), { width: 80, colour: true }),
    ).toContain('\u001b[31mNOT SUSTAINED');
  });
});

describe('what limited it', () => {
  const next = 'worker event loop, 84%: worker-1 used 0.84 of its one thread';

  test('every report says what, by which figures, and what comes next', () => {
    const data = sampleRun();
    const terminal = renderTerminal(runDocument({ record: data.record }), {
      width: 200,
      colour: false,
    });
    for (const text of [
      terminal,
      renderMarkdown(runDocument(data)),
      renderHtml(runDocument(data)),
    ]) {
      expect(text).toContain('worker slots: all 20 slots were busy while 49 jobs waited');
      expect(text).toContain(next);
    }
    expect(renderMarkdown(runDocument(data))).toContain(
      '| worker slots | 100%, used up | all 20 slots',
    );
  });

  test('a record made before resources were ranked is shown as it is', () => {
    const data = sampleRun();
    data.record.verdict.limitedBy = {
      limit: { role: 'main', resource: 'CPU limit' },
      evidence: 'main used 1 of 1 cores',
    };
    expect(
      renderTerminal(runDocument({ record: data.record }), { width: 200, colour: false }),
    ).not.toContain('Next limit');
    expect(renderMarkdown(runDocument(data))).not.toContain('## Limits');
    expect(renderHtml(runDocument(data))).toContain('main CPU limit: main used 1 of 1 cores');
  });
});
