import { newId } from '../../platform/ids/ids.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import type { NewNotification, NewTrigger } from './accept.repository.js';
import type { Subscription } from './subscribers.repository.js';

export const isLeased = ({ leasedBy }: NewTrigger) => leasedBy !== null;

export const isOrdered = ({ position }: NewTrigger) => position !== null;

export function newTrigger(
  notification: NewNotification,
  { webhookId, eventId }: { webhookId: string; eventId: Subscription['eventId'] | null },
  start: Pick<NewTrigger, 'leasedBy' | 'dueAt' | 'position'>,
): NewTrigger {
  return { id: newId(), notification, webhookId, eventId, ...start };
}

/** Builds the leased trigger for one that was stored already leased to this process. */
export const toLeased = ({
  id,
  webhookId,
  eventId,
  notification,
  leasedBy,
  dueAt,
}: NewTrigger): LeasedTrigger => ({
  id,
  webhookId,
  eventId,
  eventKind: notification.eventKind,
  dueAt,
  lease: 1,
  leasedBy: leasedBy as string,
  attemptCount: 0,
  scheduleOffset: 0,
  hasFailed: false,
  isProbe: false,
  cause: eventId === null ? 'test' : 'schedule',
  urgent: eventId === null,
  ordered: false,
  notification,
  breakerEpoch: 0,
});
