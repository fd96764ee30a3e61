import type { Condition } from './conditions';

/** An alert with everything that is said about it: the rule and its runbook come from here. */
export interface Alert {
  /** Also the heading of its runbook. */
  name: `N8n${string}`;
  severity: 'critical' | 'warning' | 'info';
  /** How long the expression must be true before it fires. */
  forMinutes: number;
  /** What must hold in an installation for its series to exist; the chart leaves the alert out elsewhere. */
  needs: readonly Condition[];
  /** PromQL with tokens: see tokens.ts. */
  expr: string;
  /** One sentence: what is wrong, where, with the value. A template of Prometheus. */
  summary: string;
  /** For the runbook, as Markdown. */
  meaning: string;
  /** How to tell why, in the order in which to look. */
  tellWhy: readonly string[];
  whatToDo: readonly string[];
  /** How to cause it on an installation of your own. */
  drill: string;
}

export interface AlertGroup {
  name: string;
  alerts: readonly Alert[];
}
