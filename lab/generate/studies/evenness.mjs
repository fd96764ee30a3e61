// How evenly requests are spread over processes: 0 where each got as many. Processes that got none count.
const sum = (values) => values.reduce((total, one) => total + one, 0);
const mean = (values) => sum(values) / values.length;

/** The standard deviation of all processes, of their mean. */
export function coefficientOfVariation(counts) {
  const middle = mean(counts);
  return Math.sqrt(mean(counts.map((one) => (one - middle) ** 2))) / middle;
}

/** The mean difference between two processes, of twice their mean: 1 where one of very many got all. */
export function gini(counts) {
  const ordered = counts.toSorted((a, b) => a - b);
  const weighted = sum(ordered.map((one, index) => (2 * index + 1 - ordered.length) * one));
  return weighted / (ordered.length * sum(ordered));
}

/** Requests of each of so many processes, of a record's `summary.spread`, which has only those that got some. */
export function requestsOfEach({ summary }, processes) {
  const counts = summary.spread.map(({ requests }) => requests);
  return [...counts, ...Array(Math.max(0, processes - counts.length)).fill(0)];
}
