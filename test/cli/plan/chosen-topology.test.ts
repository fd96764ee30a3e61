import { chooseTopology } from '../../../cli/src/plan/chosen-topology';

test("a topology with a record's mask in place of a secret is refused, and names the variable", () => {
  for (const value of ['***', 'redis://***@store:6379']) {
    expect(() => chooseTopology({ env: { QUEUE_URL: value } })).toThrow(
      /QUEUE_URL=.*in place of a secret.*--env QUEUE_URL=/s,
    );
  }
  expect(chooseTopology({ env: { CRON: '0 */5 * * *' } }).env).toEqual({ CRON: '0 */5 * * *' });
});
