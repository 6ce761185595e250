import { expect, it } from '@jest/globals';
import { type ClientProxy, ClientProxyFactory, RmqRecordBuilder, Transport } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser, record } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { AMQP_URL, describeWithRabbitmq, QUORUM, useBroker } from '../support/rabbitmq.js';
import { proxied } from './scene.js';

/** What docs/intake.md tells about Nest's client has to hold. */
describeWithRabbitmq.each(databases.slice(0, 1))("Nest's client for RabbitMQ", (kind) => {
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
  const emit = (client: ClientProxy, pattern: string, data: object, messageId?: string) => {
    const event = messageId ? new RmqRecordBuilder(data).setOptions({ messageId }).build() : data;
    return lastValueFrom(client.emit(pattern, event), { defaultValue: undefined });
  };

  it('emits events that are delivered', async () => {
    const service = await database.start(broker.env);
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

  it('waits for the confirm of the broker', async () => {
    const { proxy, url } = await proxied(database, `${AMQP_URL}/`);
    const client = clientOf(url);
    await client.connect();
    proxy.freeze();
    let isConfirmed = false;
    const emitted = emit(client, 'record.finished', { user_id: 'ada', record }, 'x').then(() => {
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
    await emit(clientOf(), 'record.finished', { user_id: 'ada', record });
    expect((await broker.refused()).properties.headers).toMatchObject({
      'webhook-refused-code': 'message_id_required',
    });
  });
});
