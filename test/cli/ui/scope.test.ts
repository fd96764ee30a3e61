import fc from 'fast-check';
import { scoped } from '../../../cli/src/ui/scope';

type Step = 'ok' | 'throws';

test('everything that was taken is released, in reverse order, whichever part fails', async () => {
  const steps = fc.array(fc.constantFrom<Step>('ok', 'throws'), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (releases, workFails) => {
      const released: number[] = [];
      const run = scoped((scope) => {
        for (const [index, step] of releases.entries()) {
          scope.defer(() => {
            released.push(index);
            if (step === 'throws') throw new Error(`release ${String(index)}`);
          });
        }
        return workFails ? Promise.reject(new Error('the work')) : Promise.resolve('done');
      }).catch((error: unknown) => (error as Error).message);

      const lastFailing = releases.lastIndexOf('throws');
      const expected = workFails
        ? 'the work'
        : lastFailing < 0
          ? 'done'
          : `release ${String(lastFailing)}`;
      expect(await run).toBe(expected);
      expect(released).toEqual(releases.map((_, index) => index).reverse());
    }),
  );
});
