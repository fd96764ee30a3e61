// How the record of a script begins: when, where and by which command it was measured.
import { cpus, loadavg } from 'node:os';
import { commandOf } from './command-of.mjs';

export const thisMachine = () => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
});

/** To be called before the measurement. `argv`: of the script, as Node.js gives it. */
export const headOf = (argv = process.argv) => ({
  when: new Date().toISOString(),
  command: commandOf(argv[1], argv.slice(2)),
  machine: thisMachine(),
  loadAverageAtStart: loadavg()[0],
});
