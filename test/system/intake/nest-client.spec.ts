import { expect, it } from '@jest/globals';
import { type ClientProxy, ClientProxyFactory, RmqRecordBuilder, Transport } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { FaultyProxy } from '../../support/proxy.js';
import { newUser, record } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { AMQP_URL, describeWithRabbitmq, QUORUM, useBroker } from '../support/rabbitmq.js';

/** What docs/intake.md tells about Nest's client has to hold. */
describeWithRabbitmq("Nest's client for RabbitMQ", () => {
  const [kind] = databases;
  if (!kind) return;
  const database = useDatabase(kind);
  const broker = useBroker();
  const receiver = useReceiver('test');

  function clientOf(url = AMQP_URL): ClientProxy {
    const client = ClientProxyFactory.create({
      transport: Transport.RMQ,
      options: { urls: [url], queue: broker.queue, queueOptions: QUORUM, persistent: true },
    });
    database.defer(() => client.close());
    return client;
  }
  const recordOf = (data: object, messageId: string) =>
    new RmqRecordBuilder(data).setOptions({ messageId }).build();

  it('emits events that are delivered', async () => {
    const service = await database.start(broker.env);
    const userId = newUser();
    await createWebhook(service, { user_id: userId, url: receiver.url });
    const client = clientOf();
    for (let again = 0; again < 2; again++)
      await lastValueFrom(
        client.emit(
          'analysis.finished',
          recordOf({ user_id: userId, record, analysis_id: 'ana_1' }, `one-${userId}`),
        ),
        { defaultValue: undefined },
      );
    await lastValueFrom(
      client.emit('record.finished', recordOf({ user_id: userId, record }, `two-${userId}`)),
      { defaultValue: undefined },
    );
    await receiver.waitFor(2);
    const kinds = receiver.requests.map(({ body }) => JSON.parse(String(body)).event_kind);
    expect(kinds.sort()).toEqual(['ANALYSIS_FINISHED', 'RECORD_FINISHED']);
  });

  it('waits for the confirm of the broker', async () => {
    const { proxy, url } = await FaultyProxy.before(`${AMQP_URL}/`);
    database.defer(() => proxy.close());
    const client = clientOf(url);
    await client.connect();
    proxy.freeze();
    let isConfirmed = false;
    const emitted = lastValueFrom(client.emit('record.finished', recordOf({ user_id: 'ada', record }, 'x')), {
      defaultValue: undefined,
    }).then(() => {
      isConfirmed = true;
    });
    // The broker answers others meanwhile.
    for (let round = 0; round < 20; round++) expect([isConfirmed, await broker.ready()]).toEqual([false, 0]);
    proxy.heal();
    await emitted;
    expect(await broker.ready()).toBe(1);
  });

  it('leaves out the message id unless it is told one, and the event is put aside', async () => {
    await database.start(broker.env);
    await lastValueFrom(clientOf().emit('record.finished', { user_id: 'ada', record }), {
      defaultValue: undefined,
    });
    expect((await broker.refused()).properties.headers).toMatchObject({
      'webhook-refused-code': 'message_id_required',
    });
  });
});
