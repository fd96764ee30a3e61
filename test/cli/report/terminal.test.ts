import { renderRows } from '../../../cli/src/report/text/terminal';
import { wrap, wrapCutting } from '../../../cli/src/ui/wrap';

const rows = (name: string, value: string) =>
  renderRows([{ name, value }], { width: 40, colour: false });

test('figures stand in one column, and wrap within it', () => {
  expect(rows('SLO', 'p95<300ms')).toEqual(['SLO                 p95<300ms']);
  expect(rows('SLO', 'one two three four five')).toEqual([
    'SLO                 one two three four',
    '                    five',
  ]);
});

test('a longer name stays apart from its value', () => {
  expect(rows('Executed more than once', '10:00:03 (UTC)')).toEqual([
    'Executed more than once  10:00:03 (UTC)',
  ]);
});

test('lines break between words, and a word is cut only where nothing may stick out', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij k', 4)).toEqual(['abcdefghij', 'k']);
  expect(wrapCutting('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapCutting('abcdefghij k', 4)).toEqual(['abcd', 'efgh', 'ij k']);
});
