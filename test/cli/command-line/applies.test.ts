/** What an option that cannot be applied is told; applies.tools.test.ts goes through all of them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULES } from '../../../cli/src/options/applies';
import { programOf } from '../../../cli/src/program';
import { Mistake } from '../../../cli/src/ui/exit';
import { asked, optionsOf } from './asked';

const ROOT = join(__dirname, '../../..');
const ORDERED = ['run', 'find', 'up', 'drill', 'compare', 'sweep', 'recommend'];

/** The other commands do all themselves: what counts is that each option is read, beside where it is declared. */
const PLAIN = programOf()
  .commands.map((command) => command.name())
  .filter((name) => !ORDERED.includes(name));

test.each(PLAIN)('%s reads each of its options', (name) => {
  const files = [
    ...[`commands/${name}.ts`, `commands/${name}/command.ts`, `features/${name}/command.ts`],
    ...['options', 'prometheus', 'kubernetes'].map((one) => `options/${one}.ts`),
  ].map((file) => join(ROOT, 'cli/src', file));
  const source = files
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
    .replace(/^\s*\w+\??: .*;$/gm, '');
  for (const option of optionsOf(name)) {
    expect(source).toMatch(new RegExp(`[{,.(\\s]${option.attributeName()}\\b`));
  }
});

test.each([
  ['doctor --namespace load', '--namespace works only with --target kubernetes'],
  ['doctor --existing', '--existing works only with --target kubernetes'],
  [
    'run --metrics-url http://x/metrics',
    '--metrics-url works only with --target url, not with --target process',
  ],
  ['clean --url http://x --context c', '--context works only with a cluster, not with --url'],
  ['run --target kubernetes --url http://x', '--url works only with --target url or server'],
  ['sweep -f p.yaml --namespace x', '--namespace works only with --target kubernetes'],
  [
    'run --target kubernetes --existing --namespace n --workers 2 --cpu 1',
    '--workers and --cpu work only with a new deployment, because --existing does not change the release: remove them.',
  ],
  [
    'run --target kubernetes --values v.yaml --workers 2',
    '--workers works only with a topology, because --values or --chart already defines the deployment: remove --workers.',
  ],
  ['recover --url http://x --prefix b', '--prefix works only with --redis'],
  ['recover --url http://x --at-once 2 --wait 9m', '--at-once and --wait work only with --retry'],
  ['study --quick --out o', '--quick and --out work only with the name of a study'],
  ['study heap --list --out o', '--out works only with a study that runs'],
  [
    'report x --prometheus-release r',
    '--prometheus-release works only with --prometheus: add --prometheus',
  ],
  ['watch --prometheus-namespace n', '--prometheus-namespace works only with --prometheus'],
  [
    'run --url http://127.0.0.1:5678 --cpu 1 --workers 2 --memory 1Gi',
    '--workers works only with --target process, container or kubernetes and --cpu and --memory work only with --target process, container, kubernetes or server, not with --target url: remove them.',
  ],
  [
    'run --context work',
    '--context works only with --target kubernetes, not with --target process: add',
  ],
])('%s is refused: %s', async (words, sentence) => {
  const [name = '', ...rest] = words.split(' ');
  const refusal = await asked(name, rest);
  expect(refusal).toBeInstanceOf(Mistake);
  expect((refusal as Mistake).message).toContain(sentence);
});

test('every rule names options that a command has', () => {
  const known = programOf().commands.flatMap(({ options }) =>
    options.map((option) => option.attributeName()),
  );
  const named = RULES.flatMap(({ options }) => ('but' in options ? options.but : options));
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});
