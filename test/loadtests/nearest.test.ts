import { findFault } from '../../cli/src/features/drill/faults';
import { didYouMean, unknown } from '../../loadtests/lib/nearest';

test('a word that is nearly a known one is taken for it', () => {
  expect(didYouMean('kubernets', ['load', 'kubernetes'])).toBe(' (did you mean kubernetes?)');
});

test('a word of one letter is near to none', () => {
  expect(didYouMean('m', ['n', 'kib'])).toBe('');
});

test('a name that there is not is told with what was probably meant, and all that there are', () => {
  expect(unknown('profile', 'spke', ['load', 'spike'])).toBe(
    "there is no profile 'spke' (did you mean spike?): choose one of load, spike",
  );
});

test('a mistyped fault gets the right one proposed', () => {
  expect(() => findFault('kill-workr')).toThrow(
    "there is no fault 'kill-workr' (did you mean kill-worker?): choose one of kill-worker, kill-main,",
  );
});
