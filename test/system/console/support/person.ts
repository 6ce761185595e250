import { notify, trigger } from '../../../support/scene.js';
import { createWebhook } from '../../../support/webhook.js';
import type { ConsoleFixture } from './console.js';

/** Somebody with an API key, and with webhooks and notifications of his own, which an admin makes for him. */
export class Person {
  constructor(
    private readonly app: ConsoleFixture,
    readonly id: string,
    readonly key: string,
  ) {}

  /** Opens a screen, signed in. */
  readonly open = (path: string) => this.app.open(path, this.key);
  readonly webhook = (fields: object = {}) =>
    createWebhook(this.app.service, { user_id: this.id, ...fields });
  readonly notify = (more?: Record<string, unknown>) => notify(this.app.service, this.id, more);
  /** Sends a notification to his only webhook. @returns the id of the delivery. */
  readonly trigger = () => trigger(this.app.service, this.id);

  /** What the API tells him. */
  async get(path: string) {
    const { body } = await this.app.service.call('GET', path, undefined, { key: this.key });
    return body;
  }

  /** How many attempts were made for him. */
  readonly attempts = async (): Promise<number> => (await this.get('/v1/webhook/stats')).total.attempts;
}
