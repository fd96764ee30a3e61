// The doctor's checks as text for a terminal.
import type { DoctorCheck, Purpose } from './doctor';
import { wrapCutting } from '../ui/wrap';

const TITLES: Record<Purpose, string> = {
  load: 'loading an n8n that runs already (target url)',
  process: 'n8n on this machine (target process)',
  queue: 'queue mode on this machine',
  kubernetes: 'Kubernetes (target kubernetes)',
  tests: 'tests',
  installing: 'installing what is missing',
};
const STATE_WIDTH = 8;
const NAME_WIDTH = 12;

export function renderChecks(checks: readonly DoctorCheck[], width: number): string[] {
  return Object.entries(TITLES).flatMap(([purpose, title]) => {
    const group = checks.filter((check) => check.purpose === purpose);
    return group.length === 0 ? [] : [title, ...group.flatMap((check) => row(check, width)), ''];
  });
}

function row({ state, name, found, advice }: DoctorCheck, width: number): string[] {
  const head = `  ${state.padEnd(STATE_WIDTH)}${name.padEnd(NAME_WIDTH)}`;
  const text = advice === null ? found : `${found}: ${advice}`;
  return wrapCutting(text, width - head.length).map(
    (line, index) => (index === 0 ? head : ' '.repeat(head.length)) + line,
  );
}
