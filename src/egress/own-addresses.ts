import { networkInterfaces } from 'node:os';

/** To ask the system takes longer than all judging; how old its answer may be, in milliseconds. */
const MAX_AGE_MS = 1_000;

/** Addresses of this host's network interfaces; the same array for as long as it is not read anew. */
export function interfaceAddresses(): () => readonly string[] {
  let addresses: readonly string[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - readAt >= MAX_AGE_MS) {
      readAt = performance.now();
      addresses = Object.values(networkInterfaces()).flatMap((infos) => infos?.map((i) => i.address) ?? []);
    }
    return addresses;
  };
}
