import { commandLine, uptimeMs } from '../../linux/proc';
import { ProcessTree } from '../../linux/process-tree';

/** n8n starts it as a child of its own. */
export const isTaskRunner = (pid: number): boolean => commandLine(pid).includes('task-runner');

/** Those beneath a process. */
export const taskRunnersOf = (root: { pid: number }): number[] =>
  new ProcessTree<{ pid: number }>()
    .look([root], uptimeMs())
    .filter(({ pid, isRoot }) => !isRoot && isTaskRunner(pid))
    .map(({ pid }) => pid);
