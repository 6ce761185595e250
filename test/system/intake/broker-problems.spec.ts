import { expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { TestClock } from '../../../src/module/testing/index.js';
import { IntakeConsumer } from '../../../src/notifier/intake/intake-consumer.js';
import type { MessageTaker } from '../../../src/notifier/intake/message-taker.js';
import { useClock } from '../../support/clock.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser, record } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';

const MIB = 1024 * 1024;

describeWithRabbitmq.each(databases.slice(0, 1))('the intake', (kind) => {
  const database = useDatabase(kind, 'test');
  const broker = useBroker();
  const receiver = useReceiver('test');

  /** What is logged as an error of the intake, from now on. */
  function errors(): string[] {
    const texts: string[] = [];
    const spy = jest.spyOn(Logger.prototype, 'error').mockImplementation((text) => {
      texts.push(String(text));
    });
    database.defer(() => spy.mockRestore());
    return texts;
  }
  const login = new URL(broker.url);
  const withLogin = (user: string, password: string, path = '') =>
    `amqp://${user}:${password}@${login.host}${path}`;

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
  ])('says once what is wrong, without the password, and goes on serving: %s', async (_, env, message) => {
    const logged = errors();
    const service = await database.start({ ...broker.env, ...env() });
    await until(() => logged.length > 0, { what: 'an error' });
    expect(logged[0]).toMatch(message);
    expect(logged.join('\n')).not.toMatch(/hunter2|guest:guest/);
    expect((await service.call('GET', '/health/ready')).status).toBe(200);
    // Tried several times since.
    const seen = Date.now();
    await until(() => Date.now() - seen > 2000);
    expect(logged).toHaveLength(1);
  });

  it('says what to do if the queue has other arguments, and goes on once it is right', async () => {
    await broker.ask(async (channel) => {
      await channel.deleteQueue(broker.queue);
      await channel.assertQueue(broker.queue, { durable: true });
    });
    const logged = errors();
    const service = await database.start(broker.env);
    await until(() => logged.length > 0, { what: 'an error' });
    expect(logged[0]).toMatch(/PRECONDITION.*other arguments.*Delete it.*INTAKE_QUEUE.*INTAKE_DECLARE=false/);
    await broker.ask((channel) => channel.deleteQueue(broker.queue));
    await broker.consumers(1, 20_000);
    await service.stop();
  });

  it('uses a queue as it is, also after headers that cannot be read', async () => {
    const url = receiver.url;
    await broker.ask(async (channel) => {
      await channel.deleteQueue(broker.queue);
      await channel.assertQueue(broker.queue, { durable: true });
    });
    const service = await database.start({ ...broker.env, INTAKE_DECLARE: 'false' });
    const user_id = newUser();
    await createWebhook(service, { user_id, url });
    const body = JSON.stringify({ event_kind: 'RECORD_FINISHED', user_id, record });
    const text = Buffer.from([...Buffer.from('S'), 0, 0, 0, 4, ...Buffer.from('here')]);
    // As clients in Python write it. Unlike a quorum queue, this one delivers the same bytes each time.
    const long = Buffer.from([...Buffer.from('L'), 0, 0, 1, 0, 0, 0, 0, 0]);
    const options = { messageId: '1', contentType: 'text/x', headers: { expires: 'here' } };
    await broker.publishReplaced(Buffer.from(body), options, text, long);
    await broker.send(body);
    await receiver.waitFor(2);
    // Nobody has declared the queue for what is refused.
    const logged = errors();
    await broker.send('no JSON');
    const error = `NOT_FOUND: there is no queue ${broker.refusedQueue} for refused messages (a queue is missing`;
    await until(() => logged.some((text) => text.includes(`cannot be put aside yet: ${error}`)), {
      what: 'an error',
    });
    await broker.declare(broker.refusedQueue);
    expect(String((await broker.refused()).content)).toBe('no JSON');
  });

  it('never holds more than 64 MiB, loses nothing of it, and returns it once', async () => {
    const withinMs = 60_000;
    for (let n = 0; n < 10; n++) await broker.send(Buffer.alloc(8 * MIB - 1024, ' '));
    const logged = [jest.spyOn(Logger.prototype, 'warn'), jest.spyOn(Logger.prototype, 'log')];
    for (const spy of logged) database.defer(() => spy.mockRestore());
    const count = (text: string) =>
      logged.flatMap(({ mock }) => mock.calls.flat().filter((line) => String(line).includes(text))).length;
    const clock = new TestClock();
    database.defer(useClock(clock));
    // They cannot be put aside, so they stay in hand.
    const { app } = await database.start({ ...broker.env, INTAKE_DECLARE: 'false' });
    await until(() => count('More than 67108864 bytes') === 1, { withinMs, what: 'too many bytes' });
    await until(async () => (await broker.ready()) === 10 - 8, { withinMs, what: '64 MiB in hand' });
    // Nothing outside tells when a message has failed to be put aside for the first time.
    const { taker } = app.get(IntakeConsumer, { strict: false }) as unknown as { taker: MessageTaker };
    await until(() => taker.isBehind, { withinMs, what: 'messages that wait' });
    // However long that lasts: the broker counts each return, and drops a message at its limit.
    for (let minute = 0; minute < 10; minute++) clock.advance(60_000);
    await broker.declare(broker.refusedQueue);
    // One may be there twice: it is tried again if another one fails before it is confirmed.
    await until(async () => (await broker.ready(broker.refusedQueue)) >= 10, { withinMs, what: 'all aside' });
    expect(count('Taking events from')).toBe(2);
    // Then as many messages as ever are taken at once.
    await until(() => !taker.isBehind, { withinMs, what: 'none that waits' });
    clock.advance(60_000);
    await until(() => count('Taking events from') === 3, { withinMs, what: 'another session' });
    expect(count('as many messages at once as before')).toBe(1);
  }, 150_000);

  it('counts what is in headers, too', async () => {
    const headers = { large: 'x'.repeat(65_300) };
    await Promise.all(Array.from({ length: 260 }, () => broker.send('no JSON', { headers })));
    const warned = jest.spyOn(Logger.prototype, 'warn');
    database.defer(() => warned.mockRestore());
    await database.start({ ...broker.env, INTAKE_DECLARE: 'false' });
    await until(() => /More than 67108864 bytes/.test(warned.mock.calls.flat().join('\n')), {
      what: 'too many bytes',
    });
  });
});
