// What spec files share, as starting it takes longer than a test: a browser, and a service for those that look at it there.
// The process of the whole run starts each when a spec first asks for it, over a socket, and ends it after the last one.
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import beginRun from '../../../support/run/setup.mjs';

const starters = {
  browser: async ({ startBrowser }) => {
    const browser = await startBrowser('--host-resolver-rules=MAP *.example.com 127.0.0.1');
    return { answer: browser.wsEndpoint(), stop: () => browser.close() };
  },
  service: async ({ startService }, env) => {
    const { url, stop } = await startService(env);
    return { answer: url, stop };
  },
};

const running = new Map();

async function start(name, env) {
  const tools = await import('../../../../tools/console/support.mjs');
  return starters[name](tools, env);
}

export default async function setUp() {
  // Property tests of this kind begin with another seed each time; a failure prints it.
  process.env.TEST_SEED ??= String(Math.floor(Math.random() * 2 ** 31));
  await beginRun();
  const path = join(tmpdir(), 'shared');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    createInterface(socket).on('line', async (line) => {
      const [name, env] = JSON.parse(line);
      if (!running.has(name)) running.set(name, start(name, env));
      const answer = await running.get(name).then(
        (started) => ({ answer: started.answer }),
        (error) => ({ error: String(error) }),
      );
      socket.end(JSON.stringify(answer));
    });
  });
  await new Promise((resolve) => server.listen(path, resolve));
  server.unref();
  process.env.TEST_SHARED = path;
  globalThis.endShared = async () => {
    server.close();
    const started = await Promise.allSettled(running.values());
    await Promise.all(started.map(({ value }) => value?.stop()));
  };
}
