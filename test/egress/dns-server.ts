import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { type Lifetime, listening } from '../support/fixture.js';

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;
type Family = 'A' | 'AAAA';

/** The records of one name. */
export interface Records {
  A?: string[];
  AAAA?: string[];
  /** The canonical name that owns the addresses. */
  CNAME?: string;
  /** Seconds. @default 60 */
  ttl?: number;
}

/** Records, an error for both families, no answer, or a function of the family and the number of its datagram (from 1). */
export type Zone =
  | Records
  | 'silent'
  | 'servfail'
  | 'nxdomain'
  | ((family: Family, query: number) => Records | 'silent' | 'servfail' | 'nxdomain');

const RCODES = { servfail: 2, nxdomain: 3 };

/** A name server for each test, or for all of the block. */
export const useDnsServer = (lifetime: Lifetime = 'test'): DnsServer => listening(new DnsServer(), lifetime);

/** A local name server. Names without a zone do not exist. */
export class DnsServer {
  /** Queries so far, such as `A receiver.test`. One that a client repeats, because no answer has come in time, is there once. */
  readonly queries: string[] = [];
  /** The datagrams so far, by id and question. */
  private readonly datagrams: string[] = [];
  private readonly zones = new Map<string, Zone>();
  private socket!: Socket;

  /** Begins anew, without queries and zones. */
  async listen(): Promise<void> {
    this.queries.length = 0;
    this.datagrams.length = 0;
    this.zones.clear();
    this.socket = createSocket('udp4').on('message', (query, from) => this.receive(query, from));
    await new Promise<void>((resolve) => this.socket.bind(0, '127.0.0.1', resolve));
  }

  /** The entry for a resolver's list of servers. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  set(name: string, zone: Zone): void {
    this.zones.set(name, zone);
  }

  /** The number of queries for a name, both families together. */
  count(name: string): number {
    return this.queries.filter((query) => query.endsWith(` ${name}`)).length;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }

  private receive(query: Buffer, from: RemoteInfo): void {
    const { name, end } = readName(query, 12);
    const family = query.readUInt16BE(end) === TYPES.AAAA ? 'AAAA' : 'A';
    const asked = `${family} ${name}`;
    const datagram = `${query.readUInt16BE(0)} ${asked}`;
    if (!this.datagrams.includes(datagram)) this.queries.push(asked);
    this.datagrams.push(datagram);
    const zone = this.zones.get(name) ?? 'nxdomain';
    const said =
      typeof zone === 'function'
        ? zone(family, this.datagrams.filter((one) => one.endsWith(` ${asked}`)).length)
        : zone;
    if (said === 'silent') return;
    const question = query.subarray(12, end + 4);
    this.socket.send(answer(query.readUInt16BE(0), question, family, said), from.port, from.address);
  }
}

/** Builds a response (RFC 1035, section 4). */
function answer(
  id: number,
  question: Buffer,
  family: Family,
  said: Records | 'servfail' | 'nxdomain',
): Buffer {
  const rcode = typeof said === 'string' ? RCODES[said] : 0;
  const records = typeof said === 'string' ? [] : recordsOf(family, said);
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  // Flags: response, recursion desired and available.
  header.writeUInt16BE(0x8180 | rcode, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

function recordsOf(family: Family, { A = [], AAAA = [], CNAME, ttl = 60 }: Records): Buffer[] {
  // The owner is a pointer to the name in the question, or the canonical name.
  const owner = CNAME === undefined ? Buffer.from([0xc0, 12]) : nameBytes(CNAME);
  const alias = CNAME === undefined ? [] : [record(Buffer.from([0xc0, 12]), 'CNAME', ttl, nameBytes(CNAME))];
  const bytes = family === 'A' ? A.map(ipv4Bytes) : AAAA.map(ipv6Bytes);
  return [...alias, ...bytes.map((address) => record(owner, family, ttl, address))];
}

function record(owner: Buffer, type: keyof typeof TYPES, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(TYPES[type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

const ipv4Bytes = (ip: string) => Buffer.from(ip.split('.').map(Number));

function ipv6Bytes(ip: string): Buffer {
  // A URL writes an IPv4 address at the end as groups, too.
  const written = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = written.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
