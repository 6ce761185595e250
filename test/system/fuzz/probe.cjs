// Loaded before the service. Tells what the process computes and holds, at a port that it prints.
const { createServer } = require('node:http');
const { getHeapSpaceStatistics } = require('node:v8');
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

/** Any other collection leaves what hangs on code that is not used any more, which V8 throws away when it likes. */
const collect = () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });

const ANSWERS = {
  /** In milliseconds, since it was asked before. */
  '/longest-stretch'() {
    if (last === 0) look();
    const found = longest;
    longest = 0;
    return found;
  },
  '/memory'() {
    collect();
    // Finalizers run by the first may release more.
    collect();
    const objects = getHeapSpaceStatistics().filter(({ space_name }) => !/code|trusted/.test(space_name));
    const { external, rss } = process.memoryUsage();
    return { heap: objects.reduce((sum, { space_used_size }) => sum + space_used_size, 0), external, rss };
  },
};

if (isMainThread) {
  const server = createServer(({ url }, answer) => answer.end(JSON.stringify(ANSWERS[url]())));
  server.listen(0, '127.0.0.1', () => console.log(`Probe at ${server.address().port}.`)).unref();
}
