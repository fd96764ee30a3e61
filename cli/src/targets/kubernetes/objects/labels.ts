/** By what everything that the command makes in a cluster is found again. */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { bootId, processName } from '../../../linux/proc';

/** Which part of a release a pod or a Service is, as charts label it. */
export const COMPONENT = 'app.kubernetes.io/component';

export const MANAGED_BY = 'app.kubernetes.io/managed-by';
/** Value of the label above. */
export const OURS = 'n8n-tuned';
/** Which call of the command made it. */
export const CALL = 'n8n-tuned/call';
/** An annotation: on which machine, by which process, since when. */
export const MADE_BY = 'n8n-tuned/made-by';

export const labelsOf = (call: string): Record<string, string> => ({
  [MANAGED_BY]: OURS,
  [CALL]: call,
});

/** What one call has made, and nobody else. */
export const callSelector = (call: string): string => `${CALL}=${call}`;

/** Which nobody else gives. */
export const ownNamespace = (call: string): string => `n8n-tuned-${call}`;

/** Name of the ConfigMap that lists what a call creates in a shared namespace. */
export const journalName = (call: string): string => `n8n-tuned-${call}`;

/** Selector of the Secrets or ConfigMaps in which Helm keeps a release. */
export const helmSelector = (release: string): string => `owner=helm,name=${release}`;

export const OURS_SELECTOR = `${MANAGED_BY}=${OURS}`;

/** `release` as the charts of Helm's own template have it. */
export const releaseSelector = (release: string): string => `app.kubernetes.io/instance=${release}`;

/** Who made something, so that the next call knows whether they are still at it. */
export interface Maker {
  host: string;
  pid: number;
  /** Since the machine's start: with the pid it names a process for ever. */
  startedAtMs: number;
  /** Which start of which machine, and which container there: several may have one host name. Left out in older ones. */
  place?: string;
}

export const makerText = ({ host, pid, startedAtMs, place }: Maker): string =>
  [host, String(pid), String(startedAtMs), ...(place === undefined ? [] : [place])].join(' ');

/** Null for what somebody else wrote there. */
export function makerFrom(text: string | undefined): Maker | null {
  const match = /^(\S+) (\d+) (\d+)(?: (\S+))?$/.exec(text ?? '');
  if (match === null) return null;
  const [, host = '', pid, startedAtMs, place] = match;
  const maker = { host, pid: Number(pid), startedAtMs: Number(startedAtMs) };
  return place === undefined ? maker : { ...maker, place };
}

/** The place of this process. */
export const thisPlace = (): { host: string; place: string } => ({
  host: hostname(),
  place: `${bootId()}:${readlinkSync('/proc/self/ns/pid')}`,
});

/** This very process. */
export const thisMaker = (): string =>
  makerText({
    ...thisPlace(),
    pid: process.pid,
    startedAtMs: processName(process.pid)?.startedAtMs ?? 0,
  });
