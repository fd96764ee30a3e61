import { execFileSync } from 'node:child_process';
import { completionScript, type CompletedCommand } from '../../../cli/src/commands/completion';

const commands: CompletedCommand[] = [
  {
    name: 'run',
    options: [
      { flag: '--rate', choices: [] },
      { flag: '--target', choices: ['process', 'url'] },
    ],
  },
  { name: 'report', options: [{ flag: '--csv', choices: [] }] },
];

/** What bash offers after these words; the last one is being typed. */
function offered(...words: string[]): string[] {
  const ask = `COMP_WORDS=(n8n-tuned ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${String(words.length)}; _n8n_tuned; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${completionScript('bash', commands)}\n${ask}`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe('bash completes', () => {
  test.each([
    ['commands', ['r'], ['run', 'report']],
    ['options of the command at hand', ['report', '--'], ['--csv']],
    ['options that begin so', ['run', '--r'], ['--rate']],
    ['values to choose from', ['run', '--target', ''], ['process', 'url']],
    ['nothing where any value is taken, so that it takes file names', ['report', '--csv', ''], []],
    ['nothing of a command that there is not', ['fly', '--'], []],
  ])('%s', (_, words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });
});
