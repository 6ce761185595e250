import net from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { StreamReader } from '../../support/stream.js';
import { until } from '../../support/until.js';

const SOON_MS = 5000;

describe.each(databases)('a shutdown on $name', (kind) => {
  const service = useService(kind, {}, 'test');

  it('ends streams at once', async () => {
    const stream = await StreamReader.open(`${service.url}/v1/webhook/trigger/stream`);
    const begin = performance.now();
    await service.stop();
    expect(performance.now() - begin).toBeLessThan(SOON_MS);
    await until(() => stream.isOver);
  });

  it('does not wait for connections on which nothing was sent, as browsers open them', async () => {
    const sockets = [1, 2, 3].map(() => net.connect(Number(new URL(service.url).port), '127.0.0.1'));
    // It has accepted them once a later one was answered.
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    const begin = performance.now();
    await service.stop();
    expect(performance.now() - begin).toBeLessThan(SOON_MS);
  });
});
