import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, expect, it } from '@jest/globals';
import { type ClientProxy, ClientProxyFactory, RmqRecordBuilder, Transport } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { BlockFolder, blockTo } from '../../docs/doc-blocks.js';
import { SQLITE } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { proxied } from '../../support/proxy.js';
import { newUser, record } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { AMQP_URL, describeWithRabbitmq, QUORUM, useBroker } from '../support/rabbitmq.js';

const folder = new BlockFolder();
afterAll(() => folder.remove());

describeWithRabbitmq('docs/intake.md', () => {
  const broker = useBroker('block');
  const receiver = useReceiver('test');
  const service = useService(SQLITE, () => broker.env);
  const replace = () => ({
    'webhook.notifications': broker.queue,
    'amqp://guest:guest@127.0.0.1:5672': broker.url,
  });

  it('publishes a first message', async () => {
    await createWebhook(service, { user_id: 'admin', url: receiver.url });
    await folder.run(blockTo('intake publish'), { replace: replace() });
    const [request] = await receiver.waitFor(1);
    expect(JSON.parse(String(request?.body))).toMatchObject({
      event_kind: 'RECORD_FINISHED',
      data: { id: 'rec_1', name: 'Ada' },
    });
  });

  it('puts back what was refused', async () => {
    await broker.publish(Buffer.from('no JSON'), { persistent: true, headers: { mine: 'kept' } });
    await broker.holds(1, broker.refusedQueue);
    await folder.run(blockTo('intake put back'), { replace: replace() });
    const { content, properties } = await broker.refused();
    expect([String(content), properties.headers]).toMatchObject([
      'no JSON',
      // It had no id before, and has one now.
      { mine: 'kept', 'webhook-refused-code': 'malformed_json' },
    ]);
  });

  it.each([
    ['from the beginning', 'checkQueue', /NOT_FOUND - no queue/],
    ['from then on', 'deleteQueue', /There is no queue/],
  ])('puts nothing back if there is no queue %s', async (_, call, message) => {
    const queue = broker.newQueue();
    const refused = `${queue}.refused`;
    await broker.declare(refused);
    if (call === 'deleteQueue') await broker.declare(queue);
    await broker.ask(async (channel) => channel.sendToQueue(refused, Buffer.from('no JSON')));
    const code = blockTo('intake put back')
      .code.replace("checkQueue('webhook.notifications')", `${call}('webhook.notifications')`)
      .replaceAll('webhook.notifications', queue)
      .replace('amqp://guest:guest@127.0.0.1:5672', broker.url);
    // In a process of its own, which it ends.
    const run = promisify(execFile)(process.execPath, [folder.write(`${call}.mts`, code)]);
    await expect(run).rejects.toThrow(message);
    // Where it was.
    await broker.holds(1, refused);
  });

  function clientOf(queue = broker.queue, url = AMQP_URL): ClientProxy {
    const client = ClientProxyFactory.create({
      transport: Transport.RMQ,
      options: { urls: [url], queue, queueOptions: QUORUM, persistent: true },
    });
    service.database.defer(() => client.close());
    return client;
  }
  const emit = (client: ClientProxy, pattern: string, data: object, messageId?: string) => {
    const event = messageId ? new RmqRecordBuilder(data).setOptions({ messageId }).build() : data;
    return lastValueFrom(client.emit(pattern, event), { defaultValue: undefined });
  };

  it("has Nest's client emit events that are delivered", async () => {
    const user_id = newUser();
    await createWebhook(service, { user_id, url: receiver.url });
    const client = clientOf();
    const finished = { user_id, record, analysis_id: 'ana_1' };
    for (let again = 0; again < 2; again++)
      await emit(client, 'analysis.finished', finished, `one-${user_id}`);
    await emit(client, 'record.finished', { user_id, record }, `two-${user_id}`);
    await receiver.waitFor(2);
    const kinds = receiver.requests.map(({ body }) => JSON.parse(String(body)).event_kind);
    expect(kinds.sort()).toEqual(['ANALYSIS_FINISHED', 'RECORD_FINISHED']);
  });

  it("has Nest's client wait for the confirm of the broker", async () => {
    const queue = broker.newQueue();
    await broker.declare(queue);
    const { proxy, url } = await proxied(service.database, `${AMQP_URL}/`);
    const client = clientOf(queue, url);
    await client.connect();
    proxy.freeze();
    let isConfirmed = false;
    const emitted = emit(client, 'record.finished', { user_id: 'ada', record }, 'x').then(() => {
      isConfirmed = true;
    });
    // The broker answers others meanwhile.
    for (let round = 0; round < 20; round++)
      expect([isConfirmed, await broker.ready(queue)]).toEqual([false, 0]);
    proxy.heal();
    await emitted;
    expect(await broker.ready(queue)).toBe(1);
  });

  it("has Nest's client leave out the message id unless it is told one, and the event is put aside", async () => {
    await emit(clientOf(), 'record.finished', { user_id: 'ada', record });
    expect((await broker.refused()).properties.headers).toMatchObject({
      'webhook-refused-code': 'message_id_required',
    });
  });
});
