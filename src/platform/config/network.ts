import { isIP } from 'node:net';

/**
 * A CIDR block. A bare address stands for itself: `::1` is `::1/128`.
 *
 * @throws Error saying what the text must be.
 */
export function readNetwork(text: string): string {
  const [address = '', prefix, ...rest] = text.split('/');
  // An address with a zone (fe80::1%eth0) is no network.
  const bits = address.includes('%') ? 0 : { 0: 0, 4: 32, 6: 128 }[isIP(address)];
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (!bits || length === undefined || length < 0 || length > bits || rest.length > 0) {
    throw new Error('must be a network in CIDR form, such as 10.1.0.0/16 or fd00::/8');
  }
  return `${address}/${length}`;
}
