// Loaded into each process of n8n (`--require`): a CPU profile, in the folder CPU_PROFILE_FOLDER. What a process does first,
// it loads its code, is left out.
'use strict';
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join } = require('node:path');
const { setTimeout } = require('node:timers');
const { isMainThread } = require('node:worker_threads');

const folder = process.env.CPU_PROFILE_FOLDER;
const FROM_MS = 12_000;
const EVERY_MICROSECONDS = 1000;

if (folder !== undefined && isMainThread) setTimeout(begin, FROM_MS).unref();

function begin() {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: EVERY_MICROSECONDS });
  session.post('Profiler.start');
  const startedAtMs = Date.now();
  let isOver = false;
  // A session of the own thread answers at once, so that this is done when the process ends.
  const keep = () => {
    if (isOver) return;
    isOver = true;
    session.post('Profiler.stop', (error, { profile } = {}) => {
      if (error) return;
      const file = join(folder, String(process.pid));
      const record = { startedAtMs, argv: process.argv.slice(1), profile };
      writeFileSync(file, JSON.stringify(record));
      // One that is killed before has no profile.
      renameSync(file, `${file}.json`);
    });
  };
  process.prependOnceListener('SIGTERM', keep);
  process.once('exit', keep);
}
