import type { LeasedTrigger } from '../queue/leased-trigger.js';

/** Room in this process for triggers that are sent as soon as they are stored. */
export abstract class Capacity {
  /**
   * Reserves a place to send a new trigger of this webhook at once. A test is sent even if the webhook is paused.
   *
   * @returns false if there is no room for it.
   */
  abstract reserve(webhookId: string, userId: string, isTest?: boolean): boolean;

  /** Gives places back, one for each time that a webhook is named. */
  abstract cancel(webhookIds: string[]): void;

  /** Takes the triggers for which room was reserved; they are leased to this instance. */
  abstract offer(triggers: LeasedTrigger[]): void;
}
