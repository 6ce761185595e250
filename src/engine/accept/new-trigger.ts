import { newId } from '../../platform/ids/ids.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import type { Subscription } from './audience.repository.js';
import type { NewNotification, NewTrigger } from './intake.repository.js';

export const isLeased = ({ leasedBy }: NewTrigger) => leasedBy !== null;

export const isLined = ({ line }: NewTrigger) => line !== null;

export function newTrigger(
  notification: NewNotification,
  { webhookId, subscriptionId }: { webhookId: string; subscriptionId: Subscription['subscriptionId'] | null },
  start: Pick<NewTrigger, 'leasedBy' | 'dueAt' | 'line'>,
): NewTrigger {
  return { id: newId(), notification, webhookId, subscriptionId, ...start };
}

/** Builds the leased trigger for one that was stored already leased to this process. */
export const toLeased = ({
  id,
  webhookId,
  subscriptionId,
  notification,
  leasedBy,
  dueAt,
}: NewTrigger): LeasedTrigger => ({
  id,
  webhookId,
  subscriptionId,
  eventKind: notification.eventKind,
  dueAt,
  lease: 1,
  leasedBy: leasedBy as string,
  attemptCount: 0,
  scheduleOffset: 0,
  hasFailed: false,
  isProbe: false,
  cause: subscriptionId === null ? 'test' : 'schedule',
  urgent: subscriptionId === null,
  lined: false,
  notification,
  breakerEpoch: 0,
});
