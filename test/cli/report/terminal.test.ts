import { renderRows } from '../../../cli/src/report/text/terminal';

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
