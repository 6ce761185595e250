import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { onAnswered } from './on-answered.js';

describe('an answer that waits behind others', () => {
  /** A response as in Node 22, which gives it the connection when its turn comes, and then tells it of the end. */
  const waiting = (socket: Socket) => new ServerResponse(new IncomingMessage(socket));

  const isToldOf = (response: ServerResponse) =>
    new Promise<boolean>((resolve) => onAnswered(response, () => resolve(true)));

  it('is over when its connection ends', async () => {
    const socket = new Socket();
    const told = isToldOf(waiting(socket));
    socket.destroy();
    expect(await told).toBe(true);
  });

  it('is over at once where its connection has ended before', async () => {
    const socket = new Socket();
    const first = isToldOf(waiting(socket));
    socket.destroy();
    await first;
    expect(await isToldOf(waiting(socket))).toBe(true);
  });
});
