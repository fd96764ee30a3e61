// Runs work some milliseconds later, fractions of one included: timers of Node.js count whole milliseconds. Works of equal
// delay run in the order in which they were asked for. While any is due, the thread looks for it every 50 us and sleeps
// in between, which costs a part of a core.
const { performance } = require('node:perf_hooks');
const { setImmediate } = require('node:timers');

const LOOK_EVERY_MS = 0.05;
const asleep = new Int32Array(new SharedArrayBuffer(4));
const waiting = [];
let isLooking = false;

function later(work, delayMs) {
  if (delayMs === 0) return work();
  const dueMs = performance.now() + delayMs;
  const after = waiting.findLastIndex((other) => other.dueMs <= dueMs);
  waiting.splice(after + 1, 0, { work, dueMs });
  if (!isLooking) setImmediate(look);
  isLooking = true;
}

function look() {
  while (waiting.length > 0 && waiting[0].dueMs <= performance.now()) waiting.shift().work();
  isLooking = waiting.length > 0;
  if (!isLooking) return;
  Atomics.wait(asleep, 0, 0, LOOK_EVERY_MS);
  setImmediate(look);
}

module.exports = { later };
