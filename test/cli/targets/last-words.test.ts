import { lastWords } from '../../../cli/src/targets/process/workspace';

describe('the last words of a process', () => {
  test('are its last lines', () => {
    expect(lastWords('one\ntwo\n\nthree\nfour\n')).toBe('two three four');
  });

  test("name the cause that stands before V8's own trace", () => {
    const log = `n8n starts
<--- Last few GCs --->

[101:0x3b5f]     4021 ms: Mark-Compact 190.1 (195.8) -> 189.9 (196.0) MB

<--- JS stacktrace --->

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xed1050  [node]
10: 0x1add9b6  [node]
`;
    expect(lastWords(log)).toBe(
      'n8n starts FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    );
  });

  test('are nothing where it said none', () => {
    expect(lastWords('\n')).toBe('nothing');
  });
});
