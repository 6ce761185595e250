import { isIP } from 'node:net';

const EXAMPLE = 'amqp://user:password@host:5672/vhost';
const SCHEME = /^(amqps?):\/\/(.*)$/is;
const PORTS = { amqp: 5672, amqps: 5671 };

/** One node of a broker, and how to log in to it. */
export interface BrokerAddress {
  protocol: 'amqp' | 'amqps';
  hostname: string;
  port: number;
  username: string;
  password: string;
  vhost: string;
}

/**
 * Takes `amqp://user:password@host:port/vhost`, or `amqps://…`, with one host or several separated by commas.
 *
 * @throws Error saying what the text must be, without quoting it: it may hold a password.
 */
export function readIntakeUrl(text: string): string {
  brokersOf(text);
  return text;
}

/**
 * The nodes that a URL names, in its order. The user and password are `guest` unless given, as in the AMQP URI specification;
 * the virtual host is `/`.
 *
 * @throws Error as {@link readIntakeUrl}
 */
export function brokersOf(text: string): BrokerAddress[] {
  const [, scheme, rest = ''] = SCHEME.exec(text) ?? [];
  if (scheme === undefined) throw new Error(`must look like ${EXAMPLE}, or amqps://… for TLS`);
  if (/[?#]/.test(rest))
    throw new Error(
      `must end with the virtual host, as in ${EXAMPLE}: options after ? or # are not supported`,
    );
  if (/,\s*amqps?:\/\//i.test(rest))
    throw new Error(
      'names the scheme more than once; write several hosts as amqp://user:password@host1:5672,host2:5672/vhost',
    );
  const protocol = scheme.toLowerCase() as 'amqp' | 'amqps';
  const [, login, hosts = '', path = ''] = /^(?:([^@/]*)@)?([^@/]*)(?:\/([^@/]*))?$/.exec(rest) ?? [];
  if (hosts === '' || /%(?![0-9a-f]{2})/i.test(rest))
    throw new Error(
      `must look like ${EXAMPLE}; write special characters of user, password and vhost percent-encoded`,
    );
  const [username = 'guest', password = login === undefined ? 'guest' : ''] = login?.split(/:(.*)/s, 2) ?? [];
  return hosts.split(',').map((host) => ({
    protocol,
    ...nodeOf(host.trim(), PORTS[protocol]),
    username: decoded(username),
    password: decoded(password),
    vhost: decoded(path) || '/',
  }));
}

/** A host name, or an IPv6 address in brackets, and perhaps a port. */
const NODE = /^(?:\[([^\]]+)\]|([a-z0-9_][a-z0-9_.-]{0,252}))(?::(\d{1,5}))?$/i;

function nodeOf(host: string, usualPort: number): { hostname: string; port: number } {
  const [, address, name = address, port = usualPort] = NODE.exec(host) ?? [];
  const isRight = name !== undefined && (address === undefined || isIP(address) === 6);
  if (!isRight || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(
      'must name hosts with their ports, separated by commas, as in amqp://user:password@host1:5672,host2:5672/vhost',
    );
  return { hostname: name, port: Number(port) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must be percent-encoded UTF-8 in user, password and vhost');
  }
}

/** A node as it may be logged: without the login. */
export const shownBroker = ({ protocol, hostname, port, vhost }: BrokerAddress) =>
  `${protocol}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}/${encodeURIComponent(vhost)}`;
