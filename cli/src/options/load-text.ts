/** What a system would get, in words, before it gets it. Pure. */
import { dueBetween, highestRate } from '../../../loadtests/lib/due';
import { counted, formatNumber } from '../ui/numbers';
import { lengthSeconds, type LoadPlan } from '../../../loadtests/lib/profile';

export function timeText(seconds: number): string {
  return seconds < 120 ? `${formatNumber(seconds)} s` : `${formatNumber(seconds / 60)} min`;
}

export function planText(plan: LoadPlan): string {
  const time = timeText(lengthSeconds(plan));
  if (plan.loop === 'closed') {
    return `requests from ${counted(plan.clients, 'client')}, each response followed by the next request, for ${time}`;
  }
  const requests = counted(Math.round(dueBetween(plan, 0, lengthSeconds(plan))), 'request');
  return `up to ${counted(highestRate(plan), 'request')} per second, ${requests} in ${time}`;
}

/** The load of a search in words; a search has no highest rate. */
export const searchText = (maxClients: number, seconds: number): string =>
  `a load that is raised until something breaks, for ${timeText(seconds)}: first from up to ${counted(maxClients, 'client')}, then at rates without an upper bound`;
