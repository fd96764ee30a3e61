import {
  nextStep,
  type SeenAttempt,
} from '../../../../../../cli/src/features/find/analysis/rate/steps';

const attempt = (
  answer: SeenAttempt['answer'],
  { seconds = 20, achievedPerSecond = 30 } = {},
): SeenAttempt => ({ answer, seconds, achievedPerSecond });

test('the first attempt has all of the budget, and one YES is the answer', () => {
  expect(nextStep([], 300)).toEqual({ step: { seconds: 300, yesAfterSeconds: 30 } });
  expect(nextStep([attempt('yes')], 300)).toEqual({ answer: 'yes' });
});

test('NO takes two attempts, and a YES between them has to last longer', () => {
  expect(nextStep([attempt('no')], 300)).toEqual({ step: { seconds: 280, yesAfterSeconds: 40 } });
  expect(nextStep([attempt('no'), attempt('no')], 300)).toEqual({ answer: 'no' });
  expect(nextStep([attempt('no'), attempt('yes')], 300)).toEqual({ answer: 'yes' });
});

test('a system that became faster is asked again, but not for ever', () => {
  const faster = [10, 20, 30, 40].map((achievedPerSecond) => attempt('no', { achievedPerSecond }));
  expect(nextStep(faster.slice(0, 2), 300)).toHaveProperty('step');
  expect(nextStep(faster.slice(0, 3), 300)).toHaveProperty('step');
  expect(nextStep(faster, 300)).toEqual({ answer: 'not yet' });
});

test('an attempt that left it open, or too little time for another, is NOT YET', () => {
  expect(nextStep([attempt(null, { seconds: 300 })], 300)).toEqual({ answer: 'not yet' });
  expect(nextStep([attempt('no', { seconds: 290 })], 300)).toEqual({ answer: 'not yet' });
});

test('a load that was not made as asked for answers nothing', () => {
  expect(nextStep([attempt('invalid')], 300)).toEqual({ answer: 'invalid' });
});
