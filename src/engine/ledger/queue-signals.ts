import { Injectable } from '@nestjs/common';
import { outsideOfContexts } from '../../platform/contexts.js';

/**
 * The signals about the queue within one process, each with its arguments. They save waiting for the next scan and carry
 * no guarantee: a listener that misses one finds the same change within a second.
 */
interface Signals {
  /** Triggers are due from this queue time on. */
  due: [time: number];
  /** Triggers are due that may stand before the place the scan has reached. */
  returned: [];
  /** Something happened to triggers that are ordered: a group may need another head. */
  ordered: [];
  /** Somebody requested a trigger manually. */
  urgent: [];
  /** This webhook may have capacity for another trigger: one was finished, or the pause of its receiver is over. */
  capacity: [webhookId: string];
  /** A webhook was changed, disabled or deleted: anything cached of it is stale. */
  webhookChanged: [webhookId: string];
  /** The data of these notifications was erased: what waits of them is not to be sent any more. */
  erased: [notificationIds: string[]];
  /** Something happened that other webhooks of the user are to be told of. */
  noticed: [];
  /** There are triggers left to cancel in the background. */
  leftToCancel: [];
  /**
   * The probe of a disabled webhook has ended, or was given up.
   *
   * @param pauseMs for how long its receiver asked to be left alone; 0 if it did not.
   */
  probed: [webhookId: string, pauseMs: number];
  /** A recovery of a webhook began. */
  recovering: [];
}

type Listener = { [Name in keyof Signals]?: (...args: Signals[Name]) => void };

/** Carries every signal between acceptor, claimer, dispatcher and the resources. */
@Injectable()
export class QueueSignals {
  private readonly listeners = new Set<Listener>();

  /** @returns a function that ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Calls the listeners at once, outside of the current call, so that the call's deadline does not bind them. */
  emit<Name extends keyof Signals>(name: Name, ...args: Signals[Name]): void {
    outsideOfContexts(() => {
      for (const listener of this.listeners) listener[name]?.(...args);
    });
  }
}
