// Loaded before the service. Tells what the process computes and holds, at a port that it prints.
const { createServer } = require('node:http');
const { isMainThread } = require('node:worker_threads');

let last = 0;
let longest = 0;

/** Keeps the loop going once it is asked, so that it sees each stretch between two of its rounds. */
function look() {
  const { user, system } = process.threadCpuUsage();
  const computed = (user + system) / 1000;
  if (last > 0) longest = Math.max(longest, computed - last);
  last = computed;
  setImmediate(look);
}

const ANSWERS = {
  /** In milliseconds, since it was asked before. */
  '/longest-stretch'() {
    if (last === 0) look();
    const found = longest;
    longest = 0;
    return found;
  },
  '/memory'() {
    // Finalizers run by the first collection may release more for the second.
    gc();
    gc();
    return process.memoryUsage();
  },
};

if (isMainThread) {
  const server = createServer(({ url }, answer) => answer.end(JSON.stringify(ANSWERS[url]())));
  server.listen(0, '127.0.0.1', () => console.log(`Probe at ${server.address().port}.`)).unref();
}
