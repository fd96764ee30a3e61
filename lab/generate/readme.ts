// The parts of README.md that follow from records and from the lab.
import { filled } from './parts';
import { measuredTable } from './measured';
import { gains } from './readme/gains';
import { n8nVersions } from './readme/n8n';
import { needs } from './readme/needs';
import { output } from './readme/output';
import { read, type Generated } from './records';

export const readme = (): Generated => ({
  files: {
    'README.md': filled(read('README.md'), {
      gains: gains(),
      output: output(),
      findings: measuredTable(),
      needs: needs(),
      n8n: n8nVersions(),
    }),
  },
});
