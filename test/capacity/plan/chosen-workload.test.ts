import { join } from 'node:path';
import { chooseWorkload } from '../../../capacity/src/plan/chosen-workload';

const workflows = join(__dirname, '../../../workflows');
const choose = (workload: string, legacy: boolean, variant?: string) =>
  chooseWorkload({ workload, variant }, workflows, legacy);

describe('which variant of a workload is taken', () => {
  it('is the one for n8n below 1.0 where that is loaded', () => {
    expect(choose('wait-5s', true).recorded.variant).toBe('legacy');
    expect(choose('wait-5s', false).recorded.variant).toBe('native');
  });

  it('cannot be one that this n8n does not run', () => {
    expect(() => choose('items', true)).toThrow(/^items has no variant for n8n below 1\.0: choose/);
    expect(() => choose('mixed', true)).toThrow(/^mixed has no variant/);
    expect(() => choose('cpu', true, 'load-target')).toThrow(/^cpu has no variant/);
    expect(() => choose('cpu', false, 'legacy')).toThrow(/for n8n below 1\.0: leave --variant out/);
  });
});
