/** What `compare` refuses before anything starts. */
import { join } from 'node:path';
import { programOf } from '../../../cli/src/program';
import { Mistake } from '../../../cli/src/ui/exit';

const GATE = join(__dirname, '../../../studies/upgrade-gate');
const sides = ['before.yaml', 'after.yaml'].map((name) => join(GATE, name));

async function refusal(words: readonly string[]): Promise<string> {
  const error: unknown = await programOf()
    .parseAsync(['compare', ...sides, ...words], { from: 'user' })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Mistake);
  return (error as Mistake).message;
}

test('across n8n 1.0 a bundled workload is refused, with what to do', async () => {
  expect(await refusal(['--workload', 'last-node'])).toContain(
    'give one of your own with --workflow or --request.',
  );
});

test('across n8n 1.0 a request of your own is understood', async () => {
  const own = ['--workflow', join(GATE, 'order.json'), '--request', 'POST /webhook/order'];
  // Refused for its body alone, so that nothing starts.
  expect(await refusal([...own, '--body', '@not-there.json'])).toContain('not-there.json');
});
