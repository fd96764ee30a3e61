import { spawn } from 'node:child_process';

/**
 * A shell beside the command that outlives it by a few seconds: when the command is gone without having
 * dismissed it (kill -9, a crash, the terminal closed), it ends and removes everything on its list.
 * It learns of the death from the end of its standard input, which nobody else holds.
 */
export interface Reaper {
  /** The process group, and the signal with which it leaves nothing behind. */
  watchGroup(pid: number, signal: 'TERM' | 'INT'): void;
  forgetGroup(pid: number): void;
  /** Whose processes all end, whichever group they are in: a user of this run alone. */
  watchUser(id: number): void;
  /** A folder under /sys/fs/cgroup. */
  watchControlGroup(folder: string): void;
  watchFolder(folder: string): void;
  /** What is mounted over a folder. */
  watchMount(folder: string): void;
  /** A container, by the program that runs it. */
  watchContainer(program: string, name: string): void;
  /** Everything is down, or is meant to stay. */
  dismiss(): Promise<void>;
}

// One order a line. PIDs are kept as `pid:signal`; folders one a line, since they may hold spaces.
const script = `
trap '' INT TERM HUP
newline='
'
groups=; users=; controls=; folders=; mounts=; containers=
while read -r order what signal; do
  case $order in
    group) groups="$groups $what:$signal" ;;
    forget) kept=; for g in $groups; do [ "\${g%:*}" = "$what" ] || kept="$kept $g"; done; groups=$kept ;;
    user) users="$users $what" ;;
    control) controls="$what$newline$controls" ;;
    folder) folders="$folders$what\${signal:+ $signal}$newline" ;;
    mount) mounts="$mounts$what\${signal:+ $signal}$newline" ;;
    container) containers="$containers$what $signal$newline" ;;
    dismiss) exit 0 ;;
  esac
done
alive() { for g in $groups; do kill -s 0 -- "-\${g%:*}" && return 0; done 2>/dev/null; return 1; }
for g in $groups; do kill -s "\${g#*:}" -- "-\${g%:*}" 2>/dev/null; done
for wait in 1 2 3 4 5 6 7 8 9 10; do alive || break; sleep 0.2; done
for g in $groups; do kill -s KILL -- "-\${g%:*}" 2>/dev/null; done
for wait in 1 2 3 4 5 6 7 8 9 10; do alive || break; sleep 0.1; done
for u in $users; do
  setpriv --reuid="$u" --regid="$u" --clear-groups -- /bin/sh -c 'kill -s KILL -- -1' 2>/dev/null
done
IFS=$newline
for c in $controls; do
  for try in 1 2 3 4 5 6 7 8 9 10; do
    [ -d "$c" ] || break
    while read -r pid; do kill -s KILL "$pid" 2>/dev/null; done <"$c/cgroup.procs" 2>/dev/null
    rmdir "$c" 2>/dev/null || sleep 0.1
  done
  rmdir "\${c%/*}" "\${c%/*/*}" 2>/dev/null # The run's group and ours, once nothing is in them.
done
for c in $containers; do "\${c%% *}" rm --force --volumes "\${c#* }" >/dev/null 2>&1; done
for m in $mounts; do umount -l "$m" 2>/dev/null; done
for f in $folders; do rm -rf -- "$f"; done
`;

export function startReaper(): Reaper {
  const shell = spawn('/bin/sh', ['-c', script, 'n8n-tuned-reaper'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = new Promise<void>((resolve) =>
    shell.once('exit', () => {
      resolve();
    }),
  );
  // A reaper that was itself killed can only be missed at the end, when all is down anyway.
  shell.stdin.on('error', () => undefined);
  shell.unref();
  const order = (...words: string[]): void => {
    shell.stdin.write(`${words.join(' ')}\n`);
  };
  return {
    watchGroup: (pid, signal) => {
      order('group', String(pid), signal);
    },
    forgetGroup: (pid) => {
      order('forget', String(pid));
    },
    watchUser: (id) => {
      order('user', String(id));
    },
    watchControlGroup: (folder) => {
      order('control', folder);
    },
    watchFolder: (folder) => {
      order('folder', folder);
    },
    watchMount: (folder) => {
      order('mount', folder);
    },
    watchContainer: (program, name) => {
      order('container', program, name);
    },
    dismiss: async () => {
      shell.ref();
      shell.stdin.end('dismiss\n');
      await exited;
    },
  };
}
