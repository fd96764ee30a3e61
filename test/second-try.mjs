// A test of real programs can fail for a reason of the machine: a stall of seconds, a neighbour. Its file is run again
// once, alone, with the same seed. What passes then is named as flaky, and counts as passed; a defect fails twice.
import { relative } from 'node:path';

/** More failed files than these are no accident. */
const FILES_AT_MOST = 2;

/** The files of a Jest report to run again: none where nothing failed or too much. */
export function filesToRunAgain(report) {
  const failed = report.testResults.filter(({ status }) => status === 'failed');
  return failed.length <= FILES_AT_MOST ? failed.map(({ name }) => name) : [];
}

const failedTests = ({ assertionResults }) =>
  assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);

/** The first report with the second's answer for each file that ran again, and the names of those that passed then. */
export function afterSecondTry(first, second, root) {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  const flaky = first.testResults
    .filter(({ status, name }) => status === 'failed' && again.get(name)?.status === 'passed')
    .flatMap((file) =>
      (failedTests(file).length > 0 ? failedTests(file) : ['(the file itself)']).map(
        (test) => `${relative(root, file.name)}: ${test}`,
      ),
    );
  return { testResults: first.testResults.map((file) => again.get(file.name) ?? file), flaky };
}

/** Tests that passed, failed and were left out. A file that could not be loaded has no tests, yet it failed. */
export function countTests({ testResults }) {
  const count = (...statuses) =>
    testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => statuses.includes(status)).length;
  const failedWithout = testResults.filter(
    (file) => file.status === 'failed' && failedTests(file).length === 0,
  ).length;
  return {
    passed: count('passed'),
    failed: count('failed') + failedWithout,
    skipped: count('pending', 'todo', 'skipped', 'disabled'),
  };
}
