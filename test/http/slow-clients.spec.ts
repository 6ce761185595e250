import type { Server } from 'node:http';
import net from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { dribble } from './dribble.js';

describe.each(databases)('slow clients on $name', (kind) => {
  const service = useService(kind, {}, 'test');
  let server: Server;
  const sockets: net.Socket[] = [];

  beforeEach(() => {
    server = service.app.getHttpServer();
    // The service waits for open connections when it stops.
    service.database.defer(() => {
      for (const socket of sockets.splice(0)) socket.destroy();
    });
  });

  it('are limited by timeouts and a maximum number of connections', () => {
    expect(server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 72_000,
      timeout: 60_000,
      maxConnections: 10_000,
    });
  });

  it('may send several requests before they read the first response', async () => {
    const { answer } = await dribble(
      service.url,
      `${'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(63)}GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.split('HTTP/1.1 200 OK')).toHaveLength(65);
  });
});
