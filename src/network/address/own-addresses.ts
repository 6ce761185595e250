import { networkInterfaces } from 'node:os';

/** In milliseconds. Reading the interfaces takes longer than judging an address, so they are cached. */
const MAX_AGE_MS = 1_000;

/** Reads the addresses of this host's network interfaces, at most once a second. Each read makes a new array. */
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
