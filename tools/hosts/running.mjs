// A host application as a process, and a receiver for its notifications.
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** Bounds in milliseconds, for a busy machine: ts-node checks all types before it starts. */
const START_MS = 180_000;
const DELIVERY_MS = 60_000;
const STOP_MS = 60_000;

/** @returns the promise's value. @throws Error with the problem, if it takes longer */
async function within(ms, promise, problem) {
  const giveUp = new AbortController();
  const late = wait(ms, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(problem());
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    giveUp.abort();
    late.catch(() => {});
  }
}

/** A receiver that accepts everything, and keeps it. */
export async function startReceiver() {
  const requests = [];
  const arrived = new EventEmitter();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    response.writeHead(204).end();
    requests.push({ headers: request.headers, body });
    arrived.emit('request');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/hooks`,
    /**
     * Waits for so many notifications.
     *
     * @returns the payloads of all that came. @throws WebhookVerificationError
     */
    async verified(secret, count) {
      const all = (async () => {
        while (requests.length < count) await once(arrived, 'request');
      })();
      await within(DELIVERY_MS, all, () => `The receiver got ${requests.length} of ${count} notifications.`);
      return requests.map(({ headers, body }) => new Webhook(secret).verify(body, headers));
    },
    close: () => server.close(),
  };
}

export class RunningHost {
  printed = '';
  complaints = '';

  constructor(node, args, { cwd, env }) {
    this.child = spawn(node, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    // With all that it printed.
    this.exited = once(this.child, 'close');
    this.child.stdout.setEncoding('utf8').on('data', (text) => (this.printed += text));
    this.child.stderr.setEncoding('utf8').on('data', (text) => (this.complaints += text));
  }

  get everything() {
    return `${this.printed}${this.complaints}`;
  }

  /** Resolves when it listens. */
  async listening() {
    const listens = Promise.withResolvers();
    this.child.stdout.on('data', () => {
      this.url = /^listens on (\S+)$/m.exec(this.printed)?.[1];
      if (this.url) listens.resolve();
    });
    this.exited.then(() => listens.reject(new Error(`It ended:\n${this.everything}`)));
    await within(START_MS, listens.promise, () => `It does not listen:\n${this.everything}`);
  }

  /** @param body a text is sent as it is. @returns the answer's text. @throws Error unless it has this status */
  async call(method, path, { body, user = 'ada', status = 200 } = {}) {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { 'x-user': user, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: typeof body === 'object' ? JSON.stringify(body) : body,
    });
    const text = await response.text();
    if (response.status !== status)
      throw new Error(`${method} ${path}: ${response.status} ${text}\n${this.everything}`);
    return text;
  }

  /** @returns the answer's body. @throws Error unless the call created something */
  async post(path, body) {
    return JSON.parse(await this.call('POST', path, { body, status: 201 }));
  }

  /** Waits until it has printed so many lines that match. @returns them */
  async lines(pattern, count) {
    const found = () => this.printed.split('\n').filter((line) => pattern.test(line));
    const all = (async () => {
      while (found().length < count) await once(this.child.stdout, 'data');
    })();
    await within(
      DELIVERY_MS,
      all,
      () => `It did not print ${count} lines like ${pattern}:\n${this.everything}`,
    );
    return found();
  }

  /** Ends it as an operator does. @throws Error unless it closed in time and without a complaint */
  async stop() {
    this.child.kill('SIGTERM');
    await within(STOP_MS, this.exited, () => `It did not stop:\n${this.everything}`);
    if (!this.printed.includes('closed after SIGTERM') || this.complaints !== '')
      throw new Error(`It did not close cleanly:\n${this.everything}`);
  }

  kill() {
    this.child.kill('SIGKILL');
  }
}
