import { BlockList } from 'node:net';

/**
 * IPv4 blocks that are not public unicast destinations, in CIDR notation.
 * Source: every entry of the IANA IPv4 Special-Purpose Address Registry (RFC 6890 and its updates), including those it
 * calls globally reachable; then blocks that are listed elsewhere.
 */
export const SPECIAL_IPV4: readonly string[] = [
  '0.0.0.0/8', // "this network", RFC 791
  '10.0.0.0/8', // private use, RFC 1918
  '100.64.0.0/10', // shared address space, RFC 6598
  '127.0.0.0/8', // loopback, RFC 1122
  '169.254.0.0/16', // link local, RFC 3927
  '172.16.0.0/12', // private use, RFC 1918
  '192.0.0.0/24', // IETF protocol assignments, RFC 6890
  '192.0.2.0/24', // documentation (TEST-NET-1), RFC 5737
  '192.31.196.0/24', // AS112-v4, RFC 7535
  '192.52.193.0/24', // AMT, RFC 7450
  '192.88.99.0/24', // deprecated 6to4 relay anycast, RFC 7526
  '192.168.0.0/16', // private use, RFC 1918
  '192.175.48.0/24', // direct delegation AS112 service, RFC 7534
  '198.18.0.0/15', // benchmarking, RFC 2544
  '198.51.100.0/24', // documentation (TEST-NET-2), RFC 5737
  '203.0.113.0/24', // documentation (TEST-NET-3), RFC 5737
  '240.0.0.0/4', // reserved, RFC 1112; includes the limited broadcast 255.255.255.255
  '224.0.0.0/4', // multicast, RFC 5771; it has its own registry
  '168.63.129.16/32', // a public address that leads to platform services of the host on Azure
];

/** The only IPv6 block that IANA assigns as global unicast (IPv6 Global Unicast Address Assignments, RFC 4291). */
export const GLOBAL_UNICAST_IPV6 = '2000::/3';

/**
 * Blocks inside {@link GLOBAL_UNICAST_IPV6} that are not public unicast destinations.
 * Source: IANA IPv6 Special-Purpose Address Registry. Its other entries (::1, fc00::/7, fe80::/10, 5f00::/16 ...) are
 * outside 2000::/3 and not listed here.
 */
export const SPECIAL_IPV6: readonly string[] = [
  '2001::/23', // IETF protocol assignments, RFC 2928: Teredo, ORCHID, AMT, AS112, benchmarking; 2001:200::/23 is ordinary
  '2001:db8::/32', // documentation, RFC 3849
  '2002::/16', // 6to4, RFC 3056: carries any IPv4 address
  '2620:4f:8000::/48', // direct delegation AS112 service, RFC 7534
  '3fff::/20', // documentation, RFC 9637
];

/** IPv6 blocks whose last 32 bits are the real IPv4 destination: IPv4-mapped (RFC 4291), NAT64 (RFC 6052). */
export const IPV4_IN_IPV6: readonly string[] = ['::ffff:0:0/96', '64:ff9b::/96'];

/** @param cidrs valid blocks such as `192.0.2.0/24` or `2001:db8::/32`, or single addresses. */
export function blockList(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/');
    const family = network.includes(':') ? 'ipv6' : 'ipv4';
    list.addSubnet(network, prefix === '' ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
  }
  return list;
}
