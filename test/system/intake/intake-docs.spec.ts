import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, expect, it } from '@jest/globals';
import { BlockFolder, BlockRunner, blocksOf, type DocBlock } from '../../docs/doc-blocks.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { createWebhook } from '../../support/webhook.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';

const runner = new BlockRunner();
const folder = new BlockFolder();
afterAll(() => runner.end());
afterAll(() => folder.remove());

const blockTo = (run: string) => blocksOf('docs/intake.md').find((block) => block.run === run) as DocBlock;

describeWithRabbitmq.each(databases.slice(0, 1))('docs/intake.md', (kind) => {
  const broker = useBroker('block');
  const receiver = useReceiver('test');
  const service = useService(kind, () => broker.env);
  const replace = () => ({
    'webhook.notifications': broker.queue,
    'amqp://guest:guest@127.0.0.1:5672': broker.url,
  });

  it('publishes a first message', async () => {
    await createWebhook(service, { user_id: 'admin', url: receiver.url });
    await runner.run(blockTo('intake publish'), { replace: replace() });
    const [request] = await receiver.waitFor(1);
    expect(JSON.parse(String(request?.body))).toMatchObject({
      event_kind: 'RECORD_FINISHED',
      data: { id: 'rec_1', name: 'Ada' },
    });
  });

  it('puts back what was refused', async () => {
    await broker.publish(Buffer.from('no JSON'), { persistent: true, headers: { mine: 'kept' } });
    await broker.holds(1, broker.refusedQueue);
    await runner.run(blockTo('intake put back'), { replace: replace() });
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
});
