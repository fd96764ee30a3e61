/** The arguments with which a container is created. Pure. */
import type { ProcessSpec } from '../process/supervisor';
import type { EngineFacts } from './engine';

export const CALL = 'n8n-tuned.call';

export interface Creation {
  name: string;
  /** The call that makes it, by which nothing else is ever removed. */
  call: string;
  /** Its id. */
  image: string;
  /** The image's own program is started, with the command behind its first word; else the command takes its place. */
  isOwnProgram: boolean;
  spec: ProcessSpec;
  /** Holds the environment, which no argument shows. */
  envFile: string;
  user: { id: number; group: number };
  /** Folders and files that it sees at the paths that they have here. */
  mounts: readonly { path: string; at?: string; isReadOnly?: boolean }[];
  /** Arguments of the engine. */
  ulimits: readonly string[];
}

/**
 * On the network of the machine, where everything listens on loopback alone: between n8n and its callers is then
 * nothing that a process would not have.
 */
export function createArguments(
  { kind, isRootless }: Pick<EngineFacts, 'kind' | 'isRootless'>,
  creation: Creation,
): string[] {
  const { spec, user, image, isOwnProgram } = creation;
  const [program, ...args] = spec.command;
  const { cpuMillicores, memoryMiB } = spec.limits;
  return [
    ...['create', '--name', creation.name, '--label', `${CALL}=${creation.call}`],
    ...['--pull', 'never', '--network', 'host', '--log-driver', 'none'],
    ...['--user', `${String(user.id)}:${String(user.group)}`],
    // Else rootless podman takes the user for another one, who may not read the folders.
    ...(kind === 'podman' && isRootless ? ['--userns', 'keep-id'] : []),
    ...['--workdir', spec.folder, '--stop-signal', `SIG${spec.stopSignal}`],
    ...['--security-opt', 'no-new-privileges', '--security-opt', 'label=disable'],
    ...creation.ulimits,
    ...creation.mounts.flatMap(({ path, at = path, isReadOnly = false }) => [
      '--volume',
      `${path}:${at}${isReadOnly ? ':ro' : ''}`,
    ]),
    ...['--env-file', creation.envFile],
    ...(cpuMillicores === undefined ? [] : ['--cpus', String(cpuMillicores / 1000)]),
    // What exceeds the limit is not swapped out, as in a pod.
    ...(memoryMiB === undefined
      ? []
      : ['--memory', `${String(memoryMiB)}m`, '--memory-swap', `${String(memoryMiB)}m`]),
    ...(isOwnProgram ? [image] : ['--entrypoint', program, image]),
    ...args,
  ];
}

/** Variables as a file that both engines read line by line, and those that no such file can hold. */
export function envFile(env: Readonly<Record<string, string>>): { text: string; left: string[] } {
  const entries = Object.entries(env);
  const lines = entries.filter(([, value]) => !value.includes('\n'));
  return {
    text: lines.map(([name, value]) => `${name}=${value}\n`).join(''),
    left: entries.filter(([, value]) => value.includes('\n')).map(([name]) => name),
  };
}
