import { describe, expect, it } from '@jest/globals';
import { AcceptRepository } from '../../../src/engine/accept/accept.repository.js';
import { newTrigger } from '../../../src/engine/accept/new-trigger.js';
import { NEVER_DUE } from '../../../src/engine/ledger/never-due.js';
import { OrderingRepository } from '../../../src/engine/ordering/ordering.repository.js';
import { Database } from '../../../src/store/database.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newNotification } from '../../support/new-notification.js';
import { newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

const LENGTH = 5000;
const LOOKS = 5;

describe.each(databases)('a long group, on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });

  /** Puts triggers into one group. @returns their ids. */
  async function fill(key: string, topicOf: (i: number) => string | null): Promise<string[]> {
    const user = newUser();
    const webhook = await createWebhook(service, { user_id: user, settings: { ordering: 'record' } });
    const triggers = Array.from({ length: LENGTH }, (_, i) => {
      const notification = newNotification({ userId: user, recordId: key });
      const position = { orderingKey: key, position: notification.id, topic: topicOf(i) };
      const of = { webhookId: webhook.id, eventId: webhook.events[0].id };
      return newTrigger(notification, of, { leasedBy: null, dueAt: NEVER_DUE, position });
    });
    const notifications = triggers.map(({ notification }) => notification);
    await service.get(AcceptRepository).insert(null, notifications, triggers);
    return triggers.map(({ id }) => id);
  }

  /** Reconciles the group of a trigger. @returns the milliseconds of the fastest of several. */
  async function look(triggerId: string): Promise<number> {
    const ordering = service.get(OrderingRepository);
    const database = service.get(Database);
    const times: number[] = [];
    for (let i = 0; i < LOOKS; i++) {
      const begin = performance.now();
      await database.transaction((manager) => ordering.reconcile(manager, [triggerId]));
      times.push(performance.now() - begin);
    }
    return Math.min(...times);
  }

  it.each([
    ['ordered', () => null],
    ['and coalesced by as many analyses', (i: number) => `topic ${i}`],
  ])('costs no more to look at than a short one: %s', async (name, topicOf) => {
    const ids = await fill(name.slice(0, 43), topicOf);
    expect(await look(ids[LENGTH - 1] as string)).toBeLessThan(100);
  });
});
