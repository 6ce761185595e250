const MAX_LENGTH = 64;
/** Addresses with a port, as some proxies write them into `X-Forwarded-For`. */
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]*)\](?::\d+)?$/;
const IPV4_IN_IPV6 = /^::ffff:(?=\d+\.)/i;

/**
 * The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, which is the least that anybody
 * is assigned.
 *
 * @param address from a socket or `X-Forwarded-For`; any other value there counts as a client of its own.
 */
export function clientNetwork(address: string): string {
  const [, ipv4, ipv6] = WITH_PORT.exec(address) ?? [];
  const bare = (ipv4 ?? ipv6 ?? address).replace(IPV4_IN_IPV6, '').replace(/%.*$/, '');
  const url = `http://[${bare}]`;
  if (!bare.includes(':') || !URL.canParse(url)) return bare.slice(0, MAX_LENGTH);
  return `${groupsOf(new URL(url).hostname.slice(1, -1)).slice(0, 4).join(':')}::/64`;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}
