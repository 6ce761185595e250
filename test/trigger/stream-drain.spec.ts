import { describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { newUser, trigger } from '../support/scene.js';
import { StreamReader } from '../support/stream.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('a stream of a process that drains, on $name,', (kind) => {
  const service = useService(kind, {}, 'test');
  const receiver = useReceiver('test');

  it('goes on telling what becomes of attempts', async () => {
    const user = newUser();
    const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    receiver.respondWith(answers.map(({ promise }) => ({ after: promise })));
    await createWebhook(service, { user_id: user, url: receiver.url });
    const stream = await StreamReader.open(`${service.url}/v1/webhook/trigger/stream?user_id=${user}`);
    const first = await trigger(service, user);
    await receiver.waitFor(1);
    await trigger(service, user);
    await receiver.waitFor(2);
    const closed = service.stop();
    answers[0].resolve();
    const { data } = await stream.when(({ id, status }) => id === first && status === 'SUCCEEDED');
    // The other attempt keeps the process from ending.
    expect(data.attempt_count).toBe(1);
    expect(stream.isOver).toBe(false);
    answers[1].resolve();
    await closed;
  });
});
