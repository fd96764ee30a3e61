import fc from 'fast-check';
import { linesOf, parseLine } from '../../../cli/src/load/lines';
import { RequestLines } from '../../../cli/src/load/merge';

const BEGAN = 1_700_000_000_000;

describe('the lines of the load generator', () => {
  it('become requests, in the order in which they end', () => {
    const lines = new RequestLines();
    expect(lines.read(['b', 'r-1', 10, 2, BEGAN, 'cpu'])).toBeNull();
    expect(lines.read(['b', 'r-2', 20, 0.25, BEGAN, 'cpu'])).toBeNull();
    expect(lines.beganAtMs).toBe(BEGAN);
    expect(lines.read(['e', 'r-2', 5.12345, 200, '', 'host/7/main', 1])).toEqual({
      tMs: 20,
      // From when it was due: 0.25 ms until it was begun, and 5.123 from there.
      durationMs: 5.373,
      status: 200,
      ok: true,
      errorKind: '',
      id: 'r-2',
      workload: 'cpu',
      ranBy: 'host/7/main',
      lateMs: 0.25,
      connected: 1,
    });
    expect(lines.read(['e', 'r-1', 50, 500, 'status 500', '', 0])).toMatchObject({
      id: 'r-1',
      ok: false,
      errorKind: 'status 500',
    });
    expect(lines.cutOff(BEGAN + 100)).toEqual([]);
  });

  it('without an end are unanswered, as old as they were when the generator was gone', () => {
    const lines = new RequestLines();
    lines.read(['b', 'r-1', 10, 2, BEGAN, 'cpu']);
    lines.read(['b', 'r-2', 900, 0, BEGAN, 'cpu']);
    expect(lines.cutOff(BEGAN + 1000)).toMatchObject([
      { id: 'r-1', durationMs: 990, status: 0, ok: false, errorKind: 'unanswered' },
      { id: 'r-2', durationMs: 100, status: 0, ok: false, errorKind: 'unanswered' },
    ]);
  });

  it('tell what was due and not sent, and how many were open at the most', () => {
    const notSent: number[] = [];
    const lines = new RequestLines((dueMs) => notSent.push(dueMs));
    lines.read(['b', 'r-1', 10, 0, BEGAN, 'cpu']);
    lines.read(['b', 'r-2', 20, 0, BEGAN, 'cpu']);
    expect(lines.read(['n', 30, BEGAN, 'cpu'])).toBeNull();
    lines.read(['e', 'r-1', 5, 200, '', '', 1]);
    lines.read(['b', 'r-3', 40, 0, BEGAN, 'cpu']);
    expect(notSent).toEqual([30]);
    expect(lines.openPeak).toBe(2);
  });

  it.each(['', 'Request Failed', '["x",1]', '["b","r-1",1', 'time="..." level=error'])(
    '%p is none of them',
    (text) => {
      expect(parseLine(text)).toBeNull();
    },
  );
});

describe('the output of the load generator', () => {
  it('has the same lines, wherever its pieces end', async () => {
    const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', '"', '\n') }));
    await fc.assert(
      fc.asyncProperty(pieces, async (texts) => {
        const lines: string[] = [];
        const stream = (async function* () {
          yield* texts;
        })();
        for await (const some of linesOf(stream)) lines.push(...some);
        const whole = texts.join('').split('\n');
        if (whole.at(-1) === '') whole.pop();
        expect(lines).toEqual(whole);
      }),
    );
  });
});
