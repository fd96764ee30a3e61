import { wrap, wrapCutting } from '../../../cli/src/ui/wrap';

test('lines break between words, and a word is cut only where nothing may stick out', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij k', 4)).toEqual(['abcdefghij', 'k']);
  expect(wrapCutting('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapCutting('abcdefghij k', 4)).toEqual(['abcd', 'efgh', 'ij k']);
});
