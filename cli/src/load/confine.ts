/** The generator within a CPU limit of its own, where control groups can be made. */
import {
  createGroup,
  findControl,
  groupFolders,
  joinGroup,
  parentGroup,
  removeGroup,
  type Control,
} from '../linux/cgroup';
import { scopeCommand } from '../linux/systemd';
import { Mistake } from '../ui/exit';

export interface Confinement {
  /** Around the command, where systemd makes the group. */
  around(command: readonly string[]): readonly string[];
  /** Once it runs. */
  join(pid: number): void;
  /** To be removed by the process that outlives us. */
  folders: string[];
  end(): Promise<void>;
}

const FREE: Confinement = {
  around: (command) => command,
  join: () => undefined,
  folders: [],
  end: () => Promise.resolve(),
};

/** `cores` null: as it comes. */
export function confine(cores: number | null, control: Control = findControl()): Confinement {
  if (cores === null) return FREE;
  const limits = { cpuMillicores: Math.round(1000 * cores) };
  const name = `generator-${String(process.pid)}-${String(Date.now())}`;
  if (control.kind === 'none') {
    throw new Mistake(
      `--generator-cpus ${String(cores)} is not possible here, because ${control.reason}: remove --generator-cpus, or run n8n-tuned under a CPU limit.`,
    );
  }
  if (control.kind === 'systemd') {
    return {
      ...FREE,
      around: (command) => scopeCommand(control, `n8n-tuned-${name}`, { command, limits }),
    };
  }
  const path = `/${parentGroup}/${name}/k6`;
  createGroup(control, path, limits);
  return {
    around: (command) => command,
    join: (pid) => {
      joinGroup(control, path, pid);
    },
    folders: groupFolders(control, path),
    end: () => removeGroup(control, path),
  };
}
