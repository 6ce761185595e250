import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { until } from '../../support/until.js';

describe.each(databases.filter(({ name }) => name === 'SQLite'))('a shutdown, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const sockets: net.Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  it('does not wait for connections on which nothing was sent, as browsers open them', async () => {
    const service = await database.start();
    const { port, hostname } = new URL(service.url);
    for (let opened = 0; opened < 3; opened++) {
      const socket = net.connect({ port: Number(port), host: hostname });
      sockets.push(socket);
      await new Promise((resolve) => socket.once('connect', resolve));
    }
    // It has accepted them once a later one was answered.
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    let isStopped = false;
    void service.stop().then(() => {
      isStopped = true;
    });
    await until(() => isStopped, { withinMs: 5000, what: 'its end' });
  });
});
