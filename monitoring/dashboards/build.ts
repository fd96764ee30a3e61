import type * as cog from '@grafana/grafana-foundation-sdk/cog';
import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardLinkBuilder,
  DashboardLinkType,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableRefresh,
  VariableSort,
  type Dashboard,
  type Panel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { ReduceDataOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { neededN8n } from '../conditions';
import type { DashboardSpec, PanelSpec } from './spec';

/** Every dashboard of ours links to the others by it. */
const TAG = 'n8n-tuned';
const PROMETHEUS = { type: 'prometheus', uid: '${datasource}' };
/** Grafana's grid is 24 wide. */
const LINES = { width: 12, height: 8 };
const NUMBER = { width: 6, height: 4 };

export function dashboardOf({ uid, title, description, rows }: DashboardSpec): Dashboard {
  const board = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG])
    .time({ from: 'now-3h', to: 'now' })
    .refresh('30s')
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .editable()
    .annotation(firing())
    .annotation(loadTests())
    .annotation(drillFaults())
    .link(
      new DashboardLinkBuilder('n8n')
        .type(DashboardLinkType.Dashboards)
        .tags([TAG])
        .asDropdown(true)
        .includeVars(true)
        .keepTime(true),
    )
    .withVariable(
      new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'),
    )
    .withVariable(choice('namespace', 'label_values(n8n_process_start_time_seconds, namespace)'))
    .withVariable(
      choice(
        'release',
        'label_values(n8n_process_start_time_seconds{namespace=~"$namespace"}, release)',
      ),
    );
  let id = 0;
  const nextId = (): number => (id += 1);
  for (const row of rows) {
    board.withRow(new RowBuilder(row.title).id(nextId()));
    for (const panel of row.panels) board.withPanel(panelOf(panel, nextId()));
  }
  return board.build();
}

/** When which alert fired, on every panel. */
const firing = (): AnnotationQueryBuilder =>
  new AnnotationQueryBuilder()
    .name('Alerts that fire')
    .datasource(PROMETHEUS)
    .enable(true)
    .iconColor('red')
    .expr(
      'ALERTS{namespace=~"$namespace",release=~"$release",alertname=~"N8n.*",alertstate="firing"}',
    )
    .titleFormat('{{alertname}}')
    .textFormat('{{severity}} {{pod}}')
    .step('30s');

/** Marks from `n8n-tuned run --prometheus-remote-write`: where load was made, whichever n8n it went to. */
const loadTests = (): AnnotationQueryBuilder =>
  new AnnotationQueryBuilder()
    .name('Load tests')
    .datasource(PROMETHEUS)
    .enable(true)
    .iconColor('blue')
    .expr('n8n_tuned_load_measuring == 1')
    .titleFormat('Load test {{workload}}')
    .textFormat('{{profile}}, from {{instance}}')
    .step('5s');

const drillFaults = (): AnnotationQueryBuilder =>
  new AnnotationQueryBuilder()
    .name('Faults of drills')
    .datasource(PROMETHEUS)
    .enable(true)
    .iconColor('purple')
    .expr('n8n_tuned_drill_fault')
    .titleFormat('{{fault}}')
    .textFormat('{{workload}}')
    .step('5s');

/** With "All" also for a Prometheus whose series have no such label. */
const choice = (name: string, query: string): QueryVariableBuilder =>
  new QueryVariableBuilder(name)
    .label(name === 'namespace' ? 'Namespace' : 'Release')
    .query({ query, refId: name })
    .datasource(PROMETHEUS)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .includeAll(true)
    .allValue('.*')
    .current({ text: 'All', value: '$__all' });

function panelOf(spec: PanelSpec, id: number): cog.Builder<Panel> {
  const { width, height } = spec.kind === 'lines' ? LINES : NUMBER;
  const builder = spec.kind === 'lines' ? new TimeseriesBuilder() : number();
  builder
    .id(id)
    .title(spec.title)
    .description(descriptionOf(spec))
    .datasource(PROMETHEUS)
    .unit(spec.unit)
    .min(0)
    .span(width)
    .height(height);
  spec.queries.forEach(({ expr, legend }, index) => {
    builder.withTarget(
      new DataqueryBuilder()
        .refId(String.fromCharCode(65 + index))
        .datasource(PROMETHEUS)
        .expr(expr)
        .legendFormat(legend)
        .range(),
    );
  });
  if (spec.max !== undefined) builder.max(spec.max);
  if (spec.bounds !== undefined) {
    const [warning, critical] = spec.bounds;
    builder.thresholds(
      new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([
        { value: null, color: 'green' },
        { value: warning, color: 'yellow' },
        { value: critical, color: 'red' },
      ]),
    );
  }
  return builder;
}

function descriptionOf({ meaning, whenBad, queries }: PanelSpec): string {
  const n8n = neededN8n(queries.map(({ expr }) => expr));
  const empty = n8n === null ? '' : ` This panel is empty before n8n ${n8n}.`;
  return `${meaning}${empty}\n\n**What to do when this is bad:** ${whenBad}`;
}

const number = (): StatBuilder =>
  new StatBuilder().reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
