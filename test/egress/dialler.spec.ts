import { connect, isIPv6, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TestClock } from '../../src/module/testing/test-clock.js';
import { Dialler } from '../../src/network/dialler.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

/** What leads nowhere: neither an answer nor an error comes. */
const dead = (count: number) => Array.from({ length: count }, (_, index) => `203.0.113.${index + 1}`);

describe('several addresses of a host', () => {
  const clock = new TestClock();
  let receiver: Receiver;
  let sockets: Map<string, Socket>;
  let deadline: AbortController;
  beforeEach(async () => {
    receiver = await startReceiver();
    sockets = new Map();
    deadline = new AbortController();
  });
  afterEach(async () => {
    for (const socket of sockets.values()) socket.destroy();
    await receiver.close();
  });

  const dialler = new Dialler((options) => {
    const { host = '' } = options;
    const socket = host.startsWith('127.') ? connect(options) : new Socket();
    sockets.set(host, socket);
    return socket;
  }, clock);
  const first = (...addresses: string[]) => dialler.first(addresses, receiver.port, deadline.signal);
  const dialled = () => [...sockets.keys()];
  const open = () => [...sockets].filter(([, socket]) => !socket.destroyed).map(([address]) => address);

  it('are dialled a quarter of a second after each other, and the first that opens is kept', async () => {
    const [one, two] = dead(2) as [string, string];
    const opened = first(one, two, '127.0.0.1', '203.0.113.9');
    clock.advance(249);
    expect(dialled()).toEqual([one]);
    clock.advance(1);
    expect(dialled()).toEqual([one, two]);
    clock.advance(250);
    expect(open()).toEqual([one, two, '127.0.0.1']);
    expect(await opened).toBe(sockets.get('127.0.0.1'));
    clock.advance(10_000);
    expect(dialled()).toHaveLength(3);
    expect(open()).toEqual(['127.0.0.1']);
  });

  it('are kept if they open late, in place of those that were dialled after them', async () => {
    const [one, two] = dead(2) as [string, string];
    const opened = first(one, two);
    clock.advance(1000);
    sockets.get(one)?.connect(receiver.port, '127.0.0.1');
    expect(await opened).toBe(sockets.get(one));
    expect(open()).toEqual([one]);
  });

  it('are dialled at once when one before them fails', async () => {
    expect(await first('127.0.0.2', '127.0.0.1')).toBe(sockets.get('127.0.0.1'));
    const refused = first('127.0.0.2', '127.0.0.3');
    await expect(refused).rejects.toMatchObject({ failure: 'connection_refused' });
    expect(dialled()).toEqual(['127.0.0.2', '127.0.0.1', '127.0.0.3']);
  });

  it('fail only when none is left', async () => {
    const [one] = dead(1) as [string];
    const opened = first(one, '127.0.0.2');
    clock.advance(250);
    await new Promise((resolve) => sockets.get('127.0.0.2')?.once('close', resolve));
    expect(open()).toEqual([one]);
    sockets.get(one)?.connect(receiver.port, '127.0.0.1');
    expect(await opened).toBe(sockets.get(one));
  });

  it('are given up at the deadline', async () => {
    const opened = first(...dead(5));
    clock.advance(250);
    deadline.abort();
    await expect(opened).rejects.toMatchObject({ failure: 'timeout' });
    clock.advance(10_000);
    expect(dialled()).toHaveLength(2);
    expect(open()).toEqual([]);
  });

  it('hold at most six connections that are not open, of which the oldest gives way', async () => {
    const addresses = dead(9);
    const opened = first(...addresses, '127.0.0.1');
    for (const _ of addresses.slice(1)) clock.advance(250);
    expect(open()).toEqual(addresses.slice(-6));
    clock.advance(250);
    expect(await opened).toBe(sockets.get('127.0.0.1'));
    expect(open()).toEqual(['127.0.0.1']);
  });

  it('are tried all, one family after the other while there are both', async () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6());
    const lists = fc.uniqueArray(address, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lists, async (addresses) => {
        const [all, ends] = [[] as string[], new AbortController()];
        const tried = new Dialler(() => new Socket(), clock).first(addresses, 1, ends.signal, (one) =>
          all.push(one),
        );
        for (const _ of addresses) clock.advance(250);
        ends.abort();
        await tried.catch(() => {});
        expect(all[0]).toBe(addresses[0]);
        const families = [true, false].map((family) => (one: string) => isIPv6(one) === family);
        for (const family of families) expect(all.filter(family)).toEqual(addresses.filter(family));
        const turns = Math.min(...families.map((family) => all.filter(family).length));
        for (let turn = 0; turn < turns; turn++)
          expect(isIPv6(all[2 * turn] ?? '')).not.toBe(isIPv6(all[2 * turn + 1] ?? ''));
      }),
    );
  });
});
