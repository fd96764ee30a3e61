// Pictures of terminals: nothing that was printed is lost, no control sequence is shown, and columns keep their width.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { sampleSearch } from '../support/sample-find';
import { findTerminal, linesOf, terminalSvg } from '../../lab/generate/terminal-svg';

interface Run {
  text: string;
  colour: number | null;
  bold: boolean;
  faint: boolean;
}

const drawn = (outputs: string[], command = 'a'): { lines: Run[][]; svg: string }[] =>
  outputs.map((output) => ({ lines: linesOf(output), svg: terminalSvg({ command, output }) }));

const drawnOne = (output: string, command?: string) => {
  const [one] = drawn([output], command);
  if (one === undefined) throw new Error('nothing was drawn');
  return one;
};

const plain = { colour: null, bold: false, faint: false };

test('colours, bold and faint begin and end where they were printed, also over lines', () => {
  const { lines } = drawnOne(
    '\u001b[32mFOUND\u001b[0m  it\n\u001b[1;91mred\nstill\u001b[22;39m no',
  );
  expect(lines).toEqual([
    [
      { text: 'FOUND', ...plain, colour: 2 },
      { text: '  it', ...plain },
    ],
    [{ text: 'red', ...plain, colour: 9, bold: true }],
    [
      { text: 'still', ...plain, colour: 9, bold: true },
      { text: ' no', ...plain },
    ],
  ]);
});

test('every letter of any text is kept, and control sequences are not', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme-ascii' }),
    fc.constantFrom(
      '\n',
      '\u001b[31m',
      '\u001b[0m',
      '\u001b[2K',
      '\u001b[?25l',
      '\u001b[10;20H',
      '\r',
    ),
  );
  const texts = fc.sample(fc.array(piece, { maxLength: 12 }), 200).map((pieces) => pieces.join(''));
  const shown = drawn(texts).map(({ lines }) =>
    lines.map((runs) => runs.map(({ text }) => text).join('')).join('\n'),
  );
  // eslint-disable-next-line no-control-regex
  const bare = texts.map((text) => text.replace(/\u001b\[[\d;?]*[A-Za-z]|\r/g, ''));
  expect(shown).toEqual(bare);
});

test('the picture has the command, escapes what XML would read, and gives each run its columns', () => {
  const { svg } = drawnOne('p95<300ms & more\n  \u001b[31m"x"\u001b[0m', "find --slo 'p95<1s'");
  expect(svg).toContain('find --slo &#39;p95&lt;1s&#39;</tspan>');
  expect(svg).toContain('textLength="134.4">p95&lt;300ms &amp; more</tspan>');
  expect(svg).toMatch(/x="32\.8" textLength="25\.2" fill="#ff7b72">&quot;x&quot;<\/tspan>/);
  expect(svg).not.toContain('\u001b');
});

test('the pictures of the docs tell what they show to those who cannot see them', () => {
  for (const name of ['run', 'find', 'compare']) {
    const svg = readFileSync(join(__dirname, `../../docs/terminal/${name}.svg`), 'utf8');
    expect(svg).toMatch(new RegExp(`<title>n8n-tuned ${name} .*</title>`));
    // An <img> has no font of the page, no script, and loads nothing.
    expect(svg).not.toMatch(/<script|href=|@import/);
  }
});

test('the picture of a search shows its answer; a search without one is refused', () => {
  expect(findTerminal(sampleSearch(), 'find.json')).toContain('>FOUND</tspan>');
  expect(() => findTerminal({ ...sampleSearch(), verdict: 'inconclusive' }, 'find.json')).toThrow(
    'find.json is inconclusive: only a search that found its answer is shown',
  );
  expect(readFileSync(join(__dirname, '../../docs/terminal/find.svg'), 'utf8')).toContain(
    '>FOUND</tspan>',
  );
});
