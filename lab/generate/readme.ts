// The parts of README.md that follow from records and from the lab.
import { filled } from './parts';
import { findings } from './readme/findings.mjs';
import { needs } from './readme/needs';
import { output } from './readme/output';
import { read, type Generated } from './records';

export const readme = (): Generated => ({
  files: {
    'README.md': filled(read('README.md'), {
      output: output(),
      findings: findings(),
      needs: needs(),
    }),
  },
});
