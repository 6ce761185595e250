import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream';

const ofConnections = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once, when the answer has been handed over whole, or will not be. The connection is listened to as well:
 * of one that ends, an answer that waits behind others on it may never hear (Node 22).
 */
export function onAnswered(response: ServerResponse, listener: () => void): void {
  const waiting = listenersOf(response.req.socket);
  const settle = () => {
    if (waiting.delete(settle)) listener();
  };
  waiting.add(settle);
  finished(response, settle);
}

/** One listener of each connection for all the answers on it, of which there may be many. */
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
