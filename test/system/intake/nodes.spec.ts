import { connect, createServer } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { expect, it } from '@jest/globals';
import { TestClock } from '../../../src/module/testing/index.js';
import { useClock } from '../../support/clock.js';
import { databases } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { LocalServer } from '../../support/local-server.js';
import { until } from '../../support/until.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';
import { logged } from './scene.js';

/** What a method's frame begins with: its class and number (AMQP 0-9-1, 1.3). */
const CONNECTION_OPEN = Buffer.from([0, 10, 0, 40]);
const CHANNEL_OPEN = Buffer.from([0, 20, 0, 10]);
const CONSUME = Buffer.from([0, 60, 0, 20]);
const CONFIRM_SELECT = Buffer.from([0, 85, 0, 10]);

describeWithRabbitmq.each(databases.slice(0, 1))('a node of the broker', (kind) => {
  const database = useDatabase(kind, 'test');
  const broker = useBroker();
  const { hostname, port } = new URL(broker.url);

  /** A node that gets from its clients what `change` makes of it. */
  async function nodeWith(change: (sent: Buffer) => Buffer): Promise<LocalServer> {
    const server = createServer((client) => {
      const changed = new Transform({ transform: (sent, _, done) => done(null, change(sent)) });
      pipeline(client, changed, connect(Number(port || 5672), hostname), client, () => {});
    });
    const node = new LocalServer(server);
    await node.listen();
    database.defer(() => node.close());
    return node;
  }
  const urlOf = (node: LocalServer, path = '') =>
    broker.url.replace(/@.*/, `@127.0.0.1:${node.port},${hostname}:${port || 5672}${path}`);
  const none = Buffer.alloc(0);

  const otherQueue = (sent: Buffer) =>
    Buffer.from(sent.toString('latin1').replace('test.', 'none.'), 'latin1');

  it.each([
    ['refuses to be consumed from', CONSUME, otherQueue],
    ['does not answer', CONSUME, () => none],
    ['does not answer those who publish', CONFIRM_SELECT, () => none],
  ])('that %s is left for the next one', async (_, method, change) => {
    let asked = 0;
    const node = await nodeWith((sent) => {
      if (!sent.includes(method)) return sent;
      asked++;
      return change(sent);
    });
    const clock = new TestClock();
    database.defer(useClock(clock));
    await broker.send('no JSON');
    await database.start({ ...broker.env, INTAKE_URL: urlOf(node) });
    await until(() => asked > 0, { what: 'an attempt' });
    clock.advance(30_000);
    await broker.refused();
    expect(asked).toBe(1);
  });

  it('that does not answer is left at a shutdown', async () => {
    let asked = 0;
    const node = await nodeWith((sent) => {
      if (!sent.includes(CHANNEL_OPEN)) return sent;
      asked++;
      return none;
    });
    const errors = logged(database, 'error');
    const service = await database.start({ ...broker.env, INTAKE_URL: urlOf(node) });
    await until(() => asked > 0, { what: 'an attempt to open a channel' });
    await service.stop();
    expect(node.openConnections).toBe(0);
    expect(errors).toEqual([]);
  });

  it('is asked for the virtual host as it is named', async () => {
    let named = '';
    const node = await nodeWith((sent) => {
      const at = sent.indexOf(CONNECTION_OPEN) + CONNECTION_OPEN.length;
      if (at >= CONNECTION_OPEN.length) named = sent.toString('utf8', at + 1, at + 1 + sent.readUInt8(at));
      return sent;
    });
    await database.start({ ...broker.env, INTAKE_URL: urlOf(node, '/%C3%A9%2541%2F') });
    await until(() => named !== '', { what: 'the name of the virtual host' });
    expect(named).toBe('é%41/');
  });
});
