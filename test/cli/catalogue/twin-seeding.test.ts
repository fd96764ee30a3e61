import {
  standInPlan,
  twinCredentials,
  type SeedWorkflow,
} from '../../../cli/src/catalogue/seeding';
import { parseRules } from '../../../cli/src/stand-in/rules';

const credential = {
  ...{ id: 'twin-openai', name: 'OpenAI', type: 'openAiApi' },
  data: { apiKey: 'none', url: 'http://127.0.0.1:5690/v1' },
};
const twin = (rules: string): SeedWorkflow => ({
  ...{ name: 'mine', file: 'mine.json', needs: ['upstream'] },
  standIn: { plan: parseRules(rules, 'rules.yaml'), credentials: [credential] },
});
const bundled: SeedWorkflow = { name: 'http-calls', file: 'a.json', needs: ['upstream'] };
const pathsOf = (workflows: readonly SeedWorkflow[]): string[] | undefined =>
  standInPlan(workflows)?.rules.map(({ path }) => path);

test('the rules for everything come last, so that no twin hides what another one or a bundled workflow calls', () => {
  const one = twin('rules: [{ path: /a }, { path: /* }]');
  const other = twin('rules: [{ path: /b }, { path: /* }]');
  expect(pathsOf([one, other])).toEqual(['/a', '/b', '/*', '/*']);
  expect(pathsOf([one, bundled])).toEqual(['/a', '/customer', '/orders', '/stock', '/*']);
  expect(standInPlan([bundled])).toBeNull();
});

test('the credentials of twins lead to the stand-in where it is, each once', () => {
  const all = [twin('rules: []'), twin('rules: []'), bundled];
  expect(twinCredentials(all, 'http://127.0.0.1:7777')).toEqual([
    { ...credential, data: { apiKey: 'none', url: 'http://127.0.0.1:7777/v1' } },
  ]);
});
