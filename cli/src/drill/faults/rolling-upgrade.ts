import { Failure } from '../../ui/exit';
import { NEEDS_PODS, UNNOTICED, type Fault } from '../fault';
import { needsNothing } from '../make';

/** As by `helm upgrade` with another version: all roles at once. The load goes on meanwhile, and may end first. */
export const rollingUpgrade: Fault = {
  name: 'rolling-upgrade',
  title: 'every pod of n8n replaced by a new one, all roles at once',
  kind: 'planned',
  usualSeconds: 60,
  promise: UNNOTICED,
  notOn: NEEDS_PODS,
  lacks: needsNothing,
  make: async ({ access, tell, signal }) => {
    if (access.rollOut === undefined) throw new Failure('nothing replaces the pods of n8n');
    tell('a rollout of main, webhook processors and workers');
    await access.rollOut(signal);
    if (!signal.aborted) tell('the rollout is over, and the last old pod is gone');
  },
};
