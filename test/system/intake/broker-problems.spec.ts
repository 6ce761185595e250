import { connect, createServer, type Server } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { TestClock } from '../../../src/module/testing/index.js';
import { IntakeConsumer } from '../../../src/notifier/intake/intake-consumer.js';
import type { MessageTaker } from '../../../src/notifier/intake/message-taker.js';
import { pem } from '../../support/certs/pem.js';
import { useClock } from '../../support/clock.js';
import { SQLITE } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { LocalServer } from '../../support/local-server.js';
import { newUser } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ENCRYPTION_KEYS, type ServiceProcess, startProcessOn } from '../support/process.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';
import { logged, reportOf } from './scene.js';

const MIB = 1024 * 1024;
const AUTHORITY = fileURLToPath(new URL('../../support/certs/authority.cert.pem', import.meta.url));

/** What a method's frame begins with: its class and number (AMQP 0-9-1, 1.3). */
const CONNECTION_OPEN = Buffer.from([0, 10, 0, 40]);
const CHANNEL_OPEN = Buffer.from([0, 20, 0, 10]);
const CONSUME = Buffer.from([0, 60, 0, 20]);
const CONFIRM_SELECT = Buffer.from([0, 85, 0, 10]);
const NONE = Buffer.alloc(0);
const otherQueue = (sent: Buffer) => Buffer.from(sent.toString('latin1').replace('test.', 'none.'), 'latin1');

describeWithRabbitmq('the intake', () => {
  const database = useDatabase(SQLITE, 'test');
  const broker = useBroker();
  const receiver = useReceiver('test');
  const login = new URL(broker.url);
  const withLogin = (user: string, password: string, path = '') =>
    `amqp://${user}:${password}@${login.host}${path}`;

  async function listening(server: Server, host = '127.0.0.1'): Promise<LocalServer> {
    const local = new LocalServer(server, 'http', host);
    await local.listen();
    database.defer(() => local.close());
    return local;
  }
  const toBroker = () => connect(Number(login.port || 5672), login.hostname);

  /** TLS before the broker, with a certificate for `localhost` and 127.0.0.1 of a private authority. @returns its URL. */
  async function overTls(host = '127.0.0.1'): Promise<string> {
    const server = createTlsServer({ cert: pem('issued.cert'), key: pem('issued.key') }, (client) => {
      pipeline(client, toBroker(), client, () => {});
    });
    const { url } = await listening(server, host);
    return url.replace('http://', `amqps://${login.username}:${login.password}@`);
  }

  /** A node that gets from its clients what `change` makes of it. */
  const changing = (change: (sent: Buffer) => Buffer) =>
    listening(
      createServer((client) => {
        const changed = new Transform({ transform: (sent, _, done) => done(null, change(sent)) });
        pipeline(client, changed, toBroker(), client, () => {});
      }),
    );
  /** That node, and then the broker itself. */
  const urlOf = ({ port }: LocalServer, path = '') =>
    broker.url.replace(/@.*/, `@127.0.0.1:${port},${login.host}${path}`);

  /** In a process of its own, as Node reads NODE_EXTRA_CA_CERTS only when it starts. */
  const startedKnowing = (INTAKE_URL: string): Promise<ServiceProcess> =>
    startProcessOn(database, {
      ...broker.env,
      ENCRYPTION_KEYS,
      INTAKE_URL,
      NODE_EXTRA_CA_CERTS: AUTHORITY,
    });

  it.each([
    ['a wrong password', () => ({ INTAKE_URL: withLogin('guest', 'hunter2') }), /the user and the password/],
    [
      'a vhost that is not there',
      () => ({ INTAKE_URL: withLogin('guest', 'guest', '/nowhere') }),
      /virtual host/,
    ],
    [
      'nobody there',
      () => ({ INTAKE_URL: 'amqp://u:hunter2@127.0.0.1:1,[::1]:1/v' }),
      /ECONNREFUSED.*\[::1\]:1/,
    ],
    ['no queue', () => ({ INTAKE_DECLARE: 'false', INTAKE_QUEUE: 'test.missing' }), /INTAKE_DECLARE=true/],
    [
      'an unknown authority',
      async () => ({ INTAKE_URL: await overTls() }),
      /certificate.*set NODE_EXTRA_CA_CERTS/,
    ],
    [
      'a port without TLS',
      () => ({ INTAKE_URL: broker.url.replace(/^amqp:/, 'amqps:') }),
      /no TLS is spoken at that port/,
    ],
  ])('says once what is wrong, without the password, and goes on serving: %s', async (_, env, message) => {
    const errors = logged(database, 'error');
    const service = await database.start({ ...broker.env, ...(await env()) });
    await until(() => errors.length > 0, { what: 'an error' });
    expect(errors[0]).toMatch(message);
    expect(errors.join('\n')).not.toMatch(/hunter2|guest:guest/);
    expect((await service.call('GET', '/health/ready')).status).toBe(200);
    // Tried several times since.
    const seen = Date.now();
    await until(() => Date.now() - seen > 2000);
    expect(errors).toHaveLength(1);
  });

  it('takes messages from a broker whose certificate is signed by a private authority', async () => {
    const service = await startedKnowing(await overTls());
    const userId = newUser();
    await createWebhook(service, { user_id: userId, url: receiver.url });
    await broker.send(reportOf(userId));
    await receiver.waitFor(1);
    await broker.holds(0);
  });

  it('takes none from one whose certificate is for another name', async () => {
    const service = await startedKnowing(await overTls('::1'));
    await until(() => /does not match certificate/.test(service.output), { what: 'the reason' });
    expect(service.output).not.toMatch('Taking events');
    expect(await service.readiness()).toBe(200);
  });

  it('says what to do if the queue has other arguments, and goes on once it is right', async () => {
    await broker.declareClassic();
    const errors = logged(database, 'error');
    const service = await database.start(broker.env);
    await until(() => errors.length > 0, { what: 'an error' });
    expect(errors[0]).toMatch(/PRECONDITION.*other arguments.*Delete it.*INTAKE_QUEUE.*INTAKE_DECLARE=false/);
    await broker.ask((channel) => channel.deleteQueue(broker.queue));
    await broker.consumers(1);
    await service.stop();
  });

  it('uses a queue as it is, also after headers that cannot be read', async () => {
    await broker.declareClassic();
    const service = await database.start({ ...broker.env, INTAKE_DECLARE: 'false' });
    const userId = newUser();
    await createWebhook(service, { user_id: userId, url: receiver.url });
    const text = Buffer.from([...Buffer.from('S'), 0, 0, 0, 4, ...Buffer.from('here')]);
    // As clients in Python write it. Unlike a quorum queue, this one delivers the same bytes each time.
    const long = Buffer.from([...Buffer.from('L'), 0, 0, 1, 0, 0, 0, 0, 0]);
    const options = { messageId: '1', contentType: 'text/x', headers: { expires: 'here' } };
    await broker.publishReplaced(Buffer.from(JSON.stringify(reportOf(userId))), options, text, long);
    await broker.send(reportOf(userId));
    await receiver.waitFor(2);
    // Nobody has declared the queue for what is refused.
    const errors = logged(database, 'error');
    await broker.send('no JSON');
    const error = `NOT_FOUND: there is no queue ${broker.refusedQueue} for refused messages (a queue is missing`;
    await until(() => errors.some((line) => line.includes(`cannot be put aside yet: ${error}`)), {
      what: 'an error',
    });
    await broker.declare(broker.refusedQueue);
    expect(String((await broker.refused()).content)).toBe('no JSON');
  });

  it('never holds more than 64 MiB, loses nothing of it, and returns it once', async () => {
    for (let n = 0; n < 10; n++) await broker.send(Buffer.alloc(8 * MIB - 1024, ' '));
    const lines = logged(database, 'warn', 'log');
    const count = (text: string) => lines.filter((line) => line.includes(text)).length;
    const clock = new TestClock();
    database.defer(useClock(clock));
    // They cannot be put aside, so they stay in hand.
    const { app } = await database.start({ ...broker.env, INTAKE_DECLARE: 'false' });
    await until(() => count('More than 67108864 bytes') === 1, { what: 'too many bytes' });
    await broker.holds(10 - 8);
    // Nothing outside tells when a message has failed to be put aside for the first time.
    const { taker } = app.get(IntakeConsumer, { strict: false }) as unknown as { taker: MessageTaker };
    await until(() => taker.isBehind, { what: 'messages that wait' });
    // However long that lasts: the broker counts each return, and drops a message at its limit.
    for (let minute = 0; minute < 10; minute++) clock.advance(60_000);
    await broker.declare(broker.refusedQueue);
    // One may be there twice: it is tried again if another one fails before it is confirmed.
    await until(async () => (await broker.ready(broker.refusedQueue)) >= 10, { what: 'all aside' });
    expect(count('Taking events from')).toBe(2);
    // Then as many messages as ever are taken at once.
    await until(() => !taker.isBehind, { what: 'none that waits' });
    clock.advance(60_000);
    await until(() => count('Taking events from') === 3, { what: 'another session' });
    expect(count('as many messages at once as before')).toBe(1);
  });

  it('counts what is in headers, too', async () => {
    const headers = { large: 'x'.repeat(65_300) };
    await Promise.all(Array.from({ length: 260 }, () => broker.send('no JSON', { headers })));
    const warnings = logged(database, 'warn');
    await database.start({ ...broker.env, INTAKE_DECLARE: 'false' });
    const isFull = () => warnings.some((line) => line.includes('More than 67108864 bytes'));
    await until(isFull, { what: 'too many bytes' });
  });

  it.each([
    ['refuses to be consumed from', CONSUME, otherQueue],
    ['does not answer', CONSUME, () => NONE],
    ['does not answer those who publish', CONFIRM_SELECT, () => NONE],
  ])('leaves a node that %s for the next one', async (_, method, change) => {
    let asked = 0;
    const node = await changing((sent) => {
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

  it('leaves a node that does not answer at a shutdown', async () => {
    let asked = 0;
    const node = await changing((sent) => {
      if (!sent.includes(CHANNEL_OPEN)) return sent;
      asked++;
      return NONE;
    });
    const errors = logged(database, 'error');
    const service = await database.start({ ...broker.env, INTAKE_URL: urlOf(node) });
    await until(() => asked > 0, { what: 'an attempt to open a channel' });
    await service.stop();
    expect(node.openConnections).toBe(0);
    expect(errors).toEqual([]);
  });

  it('asks a node for the virtual host as it is named', async () => {
    let named = '';
    const node = await changing((sent) => {
      const at = sent.indexOf(CONNECTION_OPEN) + CONNECTION_OPEN.length;
      if (at >= CONNECTION_OPEN.length) named = sent.toString('utf8', at + 1, at + 1 + sent.readUInt8(at));
      return sent;
    });
    await database.start({ ...broker.env, INTAKE_URL: urlOf(node, '/%C3%A9%2541%2F') });
    await until(() => named !== '', { what: 'the name of the virtual host' });
    expect(named).toBe('é%41/');
  });
});
