import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { boards } from './boards';
import { dashboardOf } from './build';

export const dashboards: readonly Dashboard[] = boards.map(dashboardOf);
