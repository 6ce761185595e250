import type { LeasedTrigger } from '../queue/leased-trigger.js';

/** The capacity of this process for triggers that are sent as soon as they are stored. */
export abstract class Capacity {
  /**
   * Reserves capacity to send a new trigger of this webhook at once. A test is sent even if the webhook is paused.
   *
   * @returns false if there is none for it.
   */
  abstract reserve(webhookId: string, userId: string, isTest?: boolean): boolean;

  /** Cancels reservations, one for each time that a webhook is named. */
  abstract cancel(webhookIds: string[]): void;

  /** Takes the triggers for which capacity was reserved; they are leased to this instance. */
  abstract offer(triggers: LeasedTrigger[]): void;
}
