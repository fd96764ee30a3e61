// What each kind of server holds, from its own figures. k6 sends at even distances, so arrivals are
// deterministic.

/** D/D/c: every slot busy all the time. Below it nobody waits, above it the queue grows without end. */
export const fixedSlots = (slots, meanServiceMs) => (1000 * slots) / meanServiceMs;

/**
 * D/M/1: the time in the system is exponential with rate mu (1 - sigma), where sigma is the root below 1
 * of sigma = exp(-mu (1 - sigma) / lambda). The highest rate whose 95th percentile is within the bound.
 */
export function exponentialServer(meanServiceMs, p95Ms) {
  const mu = 1000 / meanServiceMs;
  let low = 0;
  let high = mu;
  while (high - low > 1e-6 * mu) {
    const lambda = (low + high) / 2;
    let sigma = 0;
    for (let i = 0; i < 10_000; i += 1) sigma = Math.exp((-mu * (1 - sigma)) / lambda);
    const p95 = (1000 * Math.log(20)) / (mu * (1 - sigma));
    if (p95 <= p95Ms) low = lambda;
    else high = lambda;
  }
  return low;
}

/** A limiter refuses what is above its rate; a share of errors just within the bound is still held. */
export const limiter = (perSecond, maxErrors) => perSecond / (1 - maxErrors);
