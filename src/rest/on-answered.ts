import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';

const ofConnections = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once, when the whole answer has been handed to the operating system, or never will be. Also listens to the
 * connection: in Node 22, an answer that waits behind others may not notice that its connection has ended.
 */
export function onAnswered(response: ServerResponse, listener: () => void): void {
  const { socket } = response.req;
  const waiting = listenersOf(socket);
  const settle = () => {
    if (waiting.delete(settle)) listener();
  };
  waiting.add(settle);
  finished(response, settle);
  // It may have ended while the caller was looked up, and tells nobody of that any more.
  if (socket.destroyed) settle();
}

/** Shares one listener per connection, because a connection may carry many answers. */
function listenersOf(socket: Socket): Set<() => void> {
  const known = ofConnections.get(socket);
  if (known) return known;
  const listeners = new Set<() => void>();
  ofConnections.set(socket, listeners);
  socket.once('close', () => {
    for (const listener of listeners) listener();
  });
  return listeners;
}
