import { type BlockList, isIP } from 'node:net';
import type { EgressConfig } from '../../platform/config/settings.js';
import {
  blockList,
  GLOBAL_UNICAST_IPV6,
  IPV4_IN_IPV6,
  SPECIAL_IPV4,
  SPECIAL_IPV6,
} from './special-addresses.js';

const MAX_URL_LENGTH = 2048;
/** RFC 1035, 2.3.4, without an optional trailing dot. */
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** The faults that the operator may lift, with `allowedNetworks` or `allowPrivateNetwork`. */
export const NOT_PUBLIC = {
  address: 'The address is not a public one.',
  name: 'The host name is not a public one.',
  answer: 'The host name resolves to an address that is not a public one.',
};

const specialIpv4 = blockList(SPECIAL_IPV4);
const specialIpv6 = blockList(SPECIAL_IPV6);
const globalUnicastIpv6 = blockList([GLOBAL_UNICAST_IPV6]);
const ipv4InIpv6 = blockList(IPV4_IN_IPV6);

/**
 * What is wrong with a webhook's URL without DNS; null if nothing is. It is read by the WHATWG parser: every spelling of an IP
 * address is judged as that address. The addresses of a name are judged by {@link faultOfAddress}, on every connect.
 *
 * @param ownAddresses addresses of this host's interfaces; they are refused.
 */
export function faultOfUrl(
  url: string,
  egress: EgressConfig,
  ownAddresses: readonly string[] = [],
): string | null {
  if (url.length > MAX_URL_LENGTH) return `The URL is longer than ${MAX_URL_LENGTH} characters.`;
  if (!URL.canParse(url)) return 'The URL is not a valid absolute URL.';
  const parsed = new URL(url);
  return faultOfForm(parsed, egress) ?? faultOfHost(parsed.hostname, egress, ownAddresses);
}

/**
 * What is wrong with one address; null if nothing is. Only public unicast passes, unless `egress` lifts that rule.
 *
 * @param ip as `net.isIP` accepts it, without brackets.
 * @param ownAddresses addresses of this host's interfaces; they are refused. The array is cached: pass a new one when
 *   they change.
 */
export function faultOfAddress(
  ip: string,
  egress: EgressConfig,
  ownAddresses: readonly string[] = [],
): string | null {
  const family = isIP(ip);
  // A zone ("fe80::1%eth0") names a link, so it is never a public address.
  if (family === 0 || ip.includes('%')) return 'The host is not an IP address.';
  if (egress.allowPrivateNetwork) return null;
  if (allowedNetworks(egress).check(ip, family === 4 ? 'ipv4' : 'ipv6')) return null;
  if (family === 6 && ipv4InIpv6.check(ip, 'ipv6')) return faultOfAddress(lastIpv4(ip), egress, ownAddresses);
  const isPublic =
    family === 4
      ? !specialIpv4.check(ip, 'ipv4')
      : globalUnicastIpv6.check(ip, 'ipv6') && !specialIpv6.check(ip, 'ipv6');
  return isPublic && !isOwn(ip, ownAddresses) ? null : NOT_PUBLIC.address;
}

function faultOfForm(url: URL, egress: EgressConfig): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The URL must use http or https.';
  if (url.protocol === 'http:' && !egress.allowHttp) return 'The URL must use https.';
  if (url.username !== '' || url.password !== '') return 'The URL must not hold a user name or password.';
  // `hash` is empty for a bare "#" too. Anywhere else in a parsed URL a "#" is escaped.
  if (url.href.includes('#')) return 'The URL must not have a fragment.';
  if (url.href.length > MAX_URL_LENGTH) return `The URL is longer than ${MAX_URL_LENGTH} characters.`;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (port !== 80 && port !== 443 && port < 1024) return 'The port must be 80, 443 or at least 1024.';
  return isName(url.hostname) ? null : 'The host is not a valid name.';
}

/** Also true for addresses. One trailing dot is the DNS root, not an empty label. */
function isName(hostname: string): boolean {
  if (hostname.startsWith('[')) return true;
  const name = hostname.replace(/\.$/, '');
  const labels = name.split('.');
  return (
    name.length <= MAX_NAME_LENGTH && labels.every(({ length }) => length > 0 && length <= MAX_LABEL_LENGTH)
  );
}

function faultOfHost(hostname: string, egress: EgressConfig, ownAddresses: readonly string[]): string | null {
  if (egress.allowPrivateNetwork) return null;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return faultOfAddress(host, egress, ownAddresses);
  const isPrivateName = !host.includes('.') || /\.(localhost|local|internal)$/.test(host);
  return isPrivateName ? NOT_PUBLIC.name : null;
}

function isOwn(ip: string, ownAddresses: readonly string[]): boolean {
  return ownAddresses.length > 0 && canonicalOwn(ownAddresses).has(canonicalHost(ip));
}

/** The IPv4 address in the last 32 bits of an IPv6 address. The URL parser turns dotted digits into groups. */
function lastIpv4(ip: string): string {
  const groups = canonicalHost(ip).slice(1, -1).split(':');
  const [high, low] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** One spelling for each address, with IPv6 in brackets. IPv4 has only one that `net.isIP` accepts. */
function canonicalHost(ip: string): string {
  return ip.includes(':') ? new URL(`http://[${ip.replace(/%.*$/, '')}]`).hostname : ip;
}

const canonicalByList = new WeakMap<readonly string[], Set<string>>();

function canonicalOwn(ownAddresses: readonly string[]): Set<string> {
  let canonical = canonicalByList.get(ownAddresses);
  if (canonical === undefined) {
    canonical = new Set(ownAddresses.map(canonicalHost));
    canonicalByList.set(ownAddresses, canonical);
  }
  return canonical;
}

const allowedByConfig = new WeakMap<EgressConfig, BlockList>();

function allowedNetworks(egress: EgressConfig): BlockList {
  let list = allowedByConfig.get(egress);
  if (list === undefined) {
    list = blockList(egress.allowedNetworks);
    allowedByConfig.set(egress, list);
  }
  return list;
}
