import { once } from 'node:events';
import { createServer } from 'node:net';

const NOT_OURS =
  'this machine has no such address. Set HOST to one that it has, or to 0.0.0.0 for all of them.';

const REASONS: Record<string, string> = {
  EADDRINUSE: 'something listens there already. Stop it, or set PORT to another port.',
  EACCES: 'this user may not use that port. Set PORT to one above 1023.',
  EADDRNOTAVAIL: NOT_OURS,
  ENOTFOUND: NOT_OURS,
};

export class CannotListenError extends Error {
  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    const reason = REASONS[cause.code ?? ''] ?? cause.message;
    super(`Cannot listen on ${host}, port ${port}: ${reason}`, { cause });
  }
}

/**
 * Checks the port before anything starts. A second service on the same port and database would otherwise take over what
 * the first one is sending, before it found the port taken.
 *
 * @throws CannotListenError
 */
export async function assertCanListen(host: string, port: number): Promise<void> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new CannotListenError(host, port, error as NodeJS.ErrnoException);
  }
  server.close();
  await once(server, 'close');
}
