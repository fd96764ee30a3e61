/** What a twin is made of, as plain data. */
import type { ExportedWorkflow } from '../../../catalogue/exported-workflow';
import type { Credential } from '../../../catalogue/seeding';

export type WorkflowNode = ExportedWorkflow['nodes'][number];

/** A line of the table that `twin` prints. */
export interface TwinRow {
  node: string;
  /** The host or the kind of service. */
  talksTo: string;
  inTest: string;
  /** From where its latency and its items are. */
  recordedFrom: string;
}

/** A rule as the rules file has it. */
export type WrittenRule = Record<string, unknown>;

/** What a node has become. */
export interface Replaced {
  node: WorkflowNode;
  row: TwinRow;
  rules: WrittenRule[];
  credentials: Credential[];
}

/** A node that would still leave n8n, and why, as a clause. */
export interface Leaving {
  node: string;
  why: string;
  /** What makes it known, as an order to the user; left out: nothing does. */
  advice?: string;
}

export const without = <T extends object>(value: T, ...keys: string[]): T =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) as T;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const parametersOf = (node: WorkflowNode): Record<string, unknown> =>
  (node['parameters'] ?? {}) as Record<string, unknown>;
