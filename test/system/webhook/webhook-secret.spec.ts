import { expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { describeOnMariadb } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import type { ReceivedRequest } from '../../support/receiver.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

const signaturesOf = ({ headers }: ReceivedRequest) => String(headers['webhook-signature']).split(' ');

/**
 * Whether a receiver that knows this secret accepts the request. Signs it again with the library of Standard Webhooks,
 * because the library's `verify` goes by the real time.
 */
function verifies(request: ReceivedRequest, secret: string): boolean {
  const { headers, body } = request;
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signature = new Webhook(secret).sign(String(headers['webhook-id']), sentAt, body.toString());
  return signaturesOf(request).includes(signature);
}

describeOnMariadb('signing secrets on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');

  /** Sends a test event. @returns the request that the receiver gets. */
  async function sent(id: string, by = service): Promise<ReceivedRequest> {
    const before = receiver.requests.length;
    expect(await by.call('POST', '/v1/webhook/test', { id })).toMatchObject({ status: 202 });
    return (await receiver.waitFor(before + 1))[before] as ReceivedRequest;
  }

  it('are replaced in other processes within 3 s', async () => {
    const other = await service.database.start({ ROLE: 'api' });
    const { id, secret: old } = await createWebhook(service, { url: receiver.url });
    expect(verifies(await sent(id), old)).toBe(true);
    const answer = await other.call('POST', '/v1/webhook/secret/rotate', { id, overlap_seconds: 0 });
    const rotatedAt = Date.now();
    await until(async () => verifies(await sent(id), answer.body.secret));
    expect(Date.now() - rotatedAt).toBeLessThan(3000);
  });
});
