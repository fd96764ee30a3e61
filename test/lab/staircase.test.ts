import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const file = join(__dirname, '../../studies/find-against-staircase/staircase.mjs');

/** Jest loads no ES modules: what the expressions give, in a process of their own. */
function results(expressions: Record<string, string>): Record<string, unknown> {
  const source = `import * as s from '${file}';
    const step = (ratePerSecond, sustained) => ({ ratePerSecond, sustained, cpuMs: 10 });
    const oha = (codes, errors = {}) => s.ohaFigures(
      { summary: { requestsPerSec: 9, successRate: 1 }, latencyPercentiles: { p95: 0.1 },
        statusCodeDistribution: codes, errorDistribution: errors }, 300);
    console.log(JSON.stringify({ ${Object.entries(expressions)
      .map(([name, code]) => `${name}: ${code}`)
      .join(',\n')} }));`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
  });
  return JSON.parse(text) as Record<string, unknown>;
}

describe('the staircase that find is compared with', () => {
  it('goes up around the answer, and further where all steps are on one side', () => {
    const five = (sustained: string) => `[80, 90, 100, 110, 120].map((r) => step(r, ${sustained}))`;
    expect(
      results({
        first: 's.nextRate([], 100, 8)',
        bracketed: `s.nextRate(${five('r < 105')}, 100, 8)`,
        above: `s.nextRate(${five('true')}, 100, 8)`,
        below: `s.nextRate(${five('false')}, 100, 8)`,
        enough: `s.nextRate(${five('true')}, 100, 5)`,
      }),
    ).toEqual({ first: 80, bracketed: null, above: 138, below: 69.6, enough: null });
  });

  it('answers between two neighbours, whatever the order in which steps were made', () => {
    expect(
      results({
        plain: 's.betweenSteps([step(100, true), step(121, false)])',
        later: 's.betweenSteps([step(121, false), step(144, false), step(100, true)])',
        odd: 's.betweenSteps([step(80, false), step(90, true), step(100, true), step(121, false)])',
        open: 's.betweenSteps([step(80, true), step(90, true)])',
        none: 's.betweenSteps([])',
      }),
    ).toEqual({
      plain: expect.closeTo(110, 6),
      later: expect.closeTo(110, 6),
      odd: expect.closeTo(110, 6),
      open: null,
      none: null,
    });
  });

  it('counts a status other than 200 as an error, as find does', () => {
    const told = results({
      good: 'oha({ 200: 995 }, { timeout: 5 }).sustained',
      wrong: 'oha({ 200: 950, 500: 50 }).errorShare',
      failed: 'oha({ 200: 950, 500: 50 }).sustained',
      nothing: 'oha({}).errorShare',
    });
    expect(told).toEqual({ good: true, wrong: expect.closeTo(0.05, 9), failed: false, nothing: 1 });
  });

  it('puts both sides on one machine speed by the CPU that a request took near the answers', () => {
    const told = results({
      compared: `s.atEqualSpeed(
        s.answerOf({ kind: 'find', capacity: { ratePerSecond: 50 }, probes: [
          { ratePerSecond: 50, cpuPerRequest: { allMs: 20 } }, { ratePerSecond: 10, cpuPerRequest: { allMs: 90 } },
          { clients: 4, cpuPerRequest: { allMs: 90 } }] }),
        s.answerOf({ kind: 'staircase', answer: 100, steps: [step(95, true), step(105, false)] }))`,
      unseen: `s.atEqualSpeed(
        s.answerOf({ kind: 'find', capacity: { ratePerSecond: 50 }, probes: [{ ratePerSecond: 50 }] }),
        s.answerOf({ kind: 'staircase', answer: 100, steps: [step(95, true)] })).errorAtEqualSpeed`,
      open: `s.answerOf({ kind: 'staircase', answer: null, steps: [step(95, true)] })`,
    });
    expect(told).toEqual({
      compared: {
        ...{ find: 50, staircase: 100, cpuMs: { find: 20, staircase: 10 } },
        ...{ error: -0.5, errorAtEqualSpeed: expect.closeTo(0, 9) },
      },
      unseen: null,
      open: null,
    });
  });
});
