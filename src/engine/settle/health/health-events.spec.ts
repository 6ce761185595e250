import { expect, it, jest } from '@jest/globals';
import type { Jobs } from '../../../jobs/jobs.js';
import type { DisabledWebhook, HealthRepository } from '../../health/health.repository.js';
import type { DeliveryEvents } from '../../report/delivery-events.js';
import { HealthEvents } from './health-events.js';

it('tells once of a webhook whose commit fails, and again when it is disabled again', async () => {
  let isFull = true;
  const tellOnce = async (_webhook: DisabledWebhook, tell: () => void) => {
    tell();
    if (isFull) throw new Error('The disk is full.');
  };
  const emit = jest.fn();
  const events = new HealthEvents(
    { tellOnce } as unknown as HealthRepository,
    { emit } as unknown as DeliveryEvents,
    { add: () => {} } as unknown as Jobs,
  );
  const disabled = { webhookId: 'webhook', userId: 'user', reason: 'gone', since: 1 } as const;
  await expect(events.disabled(disabled)).rejects.toThrow('The disk is full.');
  await expect(events.disabled(disabled)).rejects.toThrow('The disk is full.');
  expect(emit).toHaveBeenCalledTimes(1);
  isFull = false;
  // Its owner has enabled it meanwhile.
  await events.disabled({ ...disabled, since: 2 });
  expect(emit).toHaveBeenCalledTimes(2);
});
