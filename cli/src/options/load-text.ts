/** What a system would get, in words, before it gets it. Pure. */
import { dueBetween, highestRate } from '../../../loadtests/lib/due';
import { lengthSeconds, type LoadPlan } from '../../../loadtests/lib/profile';

const FIGURES = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A number as English writes it. */
export const figure = (value: number): string => FIGURES.format(value);

export function timeText(seconds: number): string {
  return seconds < 120 ? `${figure(seconds)} s` : `${figure(seconds / 60)} min`;
}

export function planText(plan: LoadPlan): string {
  const time = timeText(lengthSeconds(plan));
  if (plan.loop === 'closed') {
    return `requests from ${figure(plan.clients)} clients that send as fast as it responds, for ${time}`;
  }
  const requests = figure(Math.round(dueBetween(plan, 0, lengthSeconds(plan))));
  return `up to ${figure(highestRate(plan))} requests per second, ${requests} requests in ${time}`;
}

/** The load of a search in words; a search has no highest rate. */
export const searchText = (maxClients: number, seconds: number): string =>
  `a load that is raised until something breaks: by up to ${figure(maxClients)} clients at first, then at rates without an upper bound, in ${timeText(seconds)} of probes`;
