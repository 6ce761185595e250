import { startEmitter } from '../scenarios/emit.js';
import type { Child } from './child.js';
import type { DatabaseKind } from './database.js';
import { Scene, type Subscriber } from './scene.js';
import { nodeFlags } from './service.js';
import { now, pause } from './stats.js';
import { storeTriggers } from './store-triggers.js';

/** The webhook's own user gets no other notifications. Its path is counted apart from the others. */
const RECOVERED: Subscriber = { userId: 'recovered', path: '/hang' };
const OTHERS: Subscriber[] = Array.from({ length: 50 }, (_, index) => ({
  userId: `user_${index}`,
  path: `/hook/${index}`,
}));
const OTHERS_PER_SECOND = 200;
/** Retention would delete what is recovered. */
const FOR_EVER = { RETENTION_DAYS: '0', RETENTION_PAYLOAD_DAYS: '0' };

/** What has arrived at the webhook that is recovered. */
interface Apart {
  total: number;
  first: number;
  last: number;
}

interface Begun {
  id: string;
  total: number;
}

/** A scene with a webhook that missed very much, and fifty others of other users. */
export class Recovered {
  private constructor(
    readonly scene: Scene,
    private readonly webhookId: string,
  ) {}

  static async open(kind: DatabaseKind, rows: number): Promise<Recovered> {
    const scene = await Scene.open(kind, [RECOVERED, ...OTHERS]);
    const { userId } = RECOVERED;
    return new Recovered(scene, await storeTriggers(scene, { userId, status: 'FAILED', rows }));
  }

  /** An application that embeds the service, in a process that collects garbage like `npm run start:prod`. */
  start(): Promise<Child> {
    return startEmitter(this.scene, [...nodeFlags(), '--expose-gc'], FOR_EVER);
  }

  /** Resolves when the first delivery of a new recovery has arrived. Times are milliseconds. */
  async recover(emitter: Child, perSecond: number) {
    await this.scene.receiver.call('reset', {});
    const called = now();
    const { id, total } = await emitter.call<Begun>('recover', { id: this.webhookId, perSecond });
    const answered = now();
    if (total === 0) throw new Error('Nothing is left to recover: more --rows are needed');
    while ((await this.arrived()).total === 0) await pause(10);
    return { id, total, call: answered - called, first: (await this.arrived()).first - answered };
  }

  arrived(): Promise<Apart> {
    return this.scene.receiver.call<Apart>('apart');
  }

  /** Notifications to the other webhooks, at an even pace. @returns how long each took to arrive, in milliseconds. */
  async deliverOthers(emitter: Child, seconds: number): Promise<number[]> {
    await this.scene.receiver.call('reset', { latency: true });
    const users = OTHERS.map(({ userId }) => userId);
    const count = await emitter.call<number>('pace', { perSecond: OTHERS_PER_SECOND, seconds, users });
    await this.scene.arrive(count);
    return this.scene.receiver.call<number[]>('latencies');
  }
}
