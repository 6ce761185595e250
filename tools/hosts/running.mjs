// A host application as a process, and a receiver for its notifications.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

/** A receiver that accepts everything, and keeps the first request. */
export async function startReceiver() {
  const first = Promise.withResolvers();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    response.writeHead(204).end();
    first.resolve({ headers: request.headers, body });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/hooks`,
    /** @returns the payload of the first notification. @throws WebhookVerificationError */
    async verified(secret) {
      const { headers, body } = await within(DELIVERY_MS, first.promise, () => 'The receiver got nothing.');
      return new Webhook(secret).verify(body, headers);
    },
    close: () => server.close(),
  };
}

export class RunningHost {
  printed = '';
  complaints = '';

  constructor(node, args, { cwd, env }) {
    this.child = spawn(node, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.exited = once(this.child, 'exit');
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

  /** @returns the answer's body. @throws Error unless the call created something */
  async post(path, body) {
    const response = await fetch(new URL(path, this.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': 'ada' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 201)
      throw new Error(`POST ${path}: ${response.status} ${text}\n${this.everything}`);
    return JSON.parse(text);
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
