/** Looks on at the run of one probe, and keeps what its record and its trace need. */
import type { RunHead } from '../../../record/folder';
import type { RequestSample } from '../../../record/run-record';
import type { RunObserver, RunOrder } from '../../../run/order';
import type { LoadPlan } from '../../../../../loadtests/lib/profile';
import { endedRequest, type EndedRequest } from './requests';

/** More are counted in the run's own record, and leave no trace. */
const MAX_REQUESTS = 500_000;

export class ProbeWatch implements RunObserver {
  readonly requests: EndedRequest[] = [];
  /** Milliseconds since 1970; null before the load began. */
  beganAtMs: number | null = null;
  isWhole = true;

  /** `also` is told the same: what the user asked to be told. */
  constructor(private readonly also: RunObserver | null) {}

  begin(beganAtMs: number): void {
    this.beganAtMs = beganAtMs;
    this.also?.begin(beganAtMs);
  }

  request(sample: RequestSample): void {
    if (this.requests.length < MAX_REQUESTS) this.requests.push(endedRequest(sample));
    else this.isWhole = false;
    this.also?.request(sample);
  }

  usage(cpuCores: number, rssMiB: number): void {
    this.also?.usage(cpuCores, rssMiB);
  }

  fault(event: { text: string }): void {
    this.also?.fault(event);
  }

  end(): Promise<string[]> {
    return this.also?.end() ?? Promise.resolve([]);
  }
}

/** The same order with somebody who looks on; `watch()` is who looks on at the run made last. */
export function watched<Order extends Pick<RunOrder, 'observe'>>(
  order: Order,
): { order: Order; watch: () => ProbeWatch } {
  let last = new ProbeWatch(null);
  const observe = (head: RunHead, plan: LoadPlan): ProbeWatch =>
    (last = new ProbeWatch(order.observe?.(head, plan) ?? null));
  return { order: { ...order, observe }, watch: () => last };
}
