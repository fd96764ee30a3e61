// Loaded first: what a process does every 5 s it does every half second.
const timers = require('node:timers');

const { setInterval } = timers;
const faster = (run, ms, ...rest) => setInterval(run, ms / 10, ...rest);
timers.setInterval = faster;
globalThis.setInterval = faster;
