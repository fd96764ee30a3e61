import { chosenLoad, chosenTarget } from '../../../capacity/src/commands/targets';

const url = { target: 'url', url: 'http://127.0.0.1:5678', webhookKey: true } as const;
const apiKey = process.env['N8N_API_KEY'];

afterEach(() => {
  if (apiKey === undefined) delete process.env['N8N_API_KEY'];
  else process.env['N8N_API_KEY'] = apiKey;
});

test('each request has the key that the workflows demand, another in each call', () => {
  const [first, second] = [0, 1].map(() => chosenLoad({ ...url, workload: 'cpu' }));
  const [key] = first?.workflows.map((workflow) => workflow.key) ?? [];
  expect(key).toEqual({
    header: 'x-load-key',
    value: expect.stringMatching(/^[\w-]{32}$/) as string,
  });
  expect(first?.requests.length).toBeGreaterThan(0);
  for (const { headers } of first?.requests ?? []) {
    expect(headers).toMatchObject({ 'x-load-key': key?.value });
  }
  expect(second?.workflows[0]?.key).not.toEqual(key);
  expect(JSON.stringify(first?.recorded)).not.toContain(key?.value);
});

test('without --webhook-key there is none', () => {
  const { requests, workflows } = chosenLoad({ ...url, webhookKey: false, workload: 'cpu' });
  expect(JSON.stringify([requests, workflows])).not.toContain('x-load-key');
});

test.each([
  [url, /^--webhook-key needs the API of the n8n at http:.*: set N8N_API_KEY in the environment/],
  [{ target: 'process', webhookKey: true }, /^--webhook-key goes with --target url: add that/],
  [{ target: 'kubernetes', webhookKey: true }, /^--webhook-key goes with --target url: add that/],
] as const)('%j is refused in a sentence', (options, sentence) => {
  delete process.env['N8N_API_KEY'];
  expect(() => chosenTarget(options, [], 1000)).toThrow(sentence);
});
