import type { Exit, ServiceProcess } from '../../system/support/process.js';

/** Ends the process with SIGTERM. @returns its exit, and the milliseconds since the signal. */
export async function terminate(service: ServiceProcess): Promise<Exit & { ms: number }> {
  const at = Date.now();
  const exit = await service.end('SIGTERM');
  return { ...exit, ms: Date.now() - at };
}
