import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repositoryRoot } from '../../../cli/src/lab/paths';
import { heapsFor, tunings } from '../../../cli/src/plan/tuning';

const chart = join(repositoryRoot(), 'charts', 'n8n-tuned');

test("the command's tunings are the chart's tuning profiles", () => {
  const profiles = parse(readFileSync(join(chart, 'files', 'tuning.yaml'), 'utf8')) as Record<
    string,
    object
  >;
  // In the chart every profile starts from the default one.
  const whole = Object.entries(profiles).map(([name, given]) => [
    name,
    { ...profiles['default'], ...given },
  ]);
  expect(Object.fromEntries(whole)).toEqual(tunings);
});

test("heaps are the chart's shares of the memory limit", () => {
  const { heap } = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as {
    heap: Record<'oldSpace' | 'runnerOldSpace' | 'runnerPayload', string>;
  };
  const shareOf = (text: string): number => {
    const [above = NaN, below = NaN] = text.split('/').map(Number);
    return Math.floor((above / below) * 1536);
  };
  expect(heapsFor(1536)).toEqual({
    heapMiB: shareOf(heap.oldSpace),
    runnerHeapMiB: shareOf(heap.runnerOldSpace),
    runnerPayloadMiB: shareOf(heap.runnerPayload),
  });
});
