import { expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';
import { newUser, record } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

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

  it('uses a queue as it is', async () => {
    const url = receiver.url;
    await broker.ask(async (channel) => {
      await channel.deleteQueue(broker.queue);
      await channel.assertQueue(broker.queue, { durable: true });
    });
    const service = await database.start({ ...broker.env, INTAKE_DECLARE: 'false' });
    const user_id = newUser();
    await createWebhook(service, { user_id, url });
    await broker.send({ event_kind: 'RECORD_FINISHED', user_id, record });
    await receiver.waitFor(1);
    // Nobody has declared the queue for what is refused.
    const logged = errors();
    await broker.send('no JSON');
    await until(() => logged.some((text) => /cannot be put aside.*refused/.test(text)), { what: 'an error' });
    await broker.declare(broker.refusedQueue);
    expect(String((await broker.refused()).content)).toBe('no JSON');
  });

  it('never holds more than 64 MiB, and loses nothing of it', async () => {
    for (let n = 0; n < 90; n++) await broker.send(Buffer.alloc(MIB, ' '));
    const warned = jest.spyOn(Logger.prototype, 'warn');
    database.defer(() => warned.mockRestore());
    // They cannot be put aside, so they stay in hand.
    const service = await database.start({ ...broker.env, INTAKE_DECLARE: 'false' });
    const user_id = newUser();
    await createWebhook(service, { user_id, url: receiver.url });
    await until(() => /More than 67108864 bytes/.test(warned.mock.calls.flat().join('\n')), {
      what: 'too many bytes',
    });
    await until(async () => (await broker.ready()) === 90 - 64, { withinMs: 30_000, what: '64 in hand' });
    await broker.send({ event_kind: 'RECORD_FINISHED', user_id, record });
    await broker.declare(broker.refusedQueue);
    await receiver.waitFor(1, 60_000);
    await until(async () => (await broker.ready(broker.refusedQueue)) >= 90, { withinMs: 60_000 });
    await until(async () => (await broker.ready()) === 0);
  }, 150_000);
});
