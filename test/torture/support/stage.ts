import { expect } from '@jest/globals';
import type { TestDatabase } from '../../support/databases.js';
import type { DatabaseFixture } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ServiceProcess } from '../../system/support/process.js';
import { Load } from './load.js';
import { CountingReceiver } from './receiver.js';
import { PATHS, SERVICE_ENV } from './settings.js';

/** Large enough that no process runs out of work, small enough that a test ends quickly. */
const MAX_BACKLOG = 3000;

export interface StageOptions {
  /** For each process, the settings that differ from the usual ones. @default one process */
  processes?: Record<string, string>[];
  /** Concurrent requests. */
  workers?: number;
}

/** One user with a webhook for each of {@link PATHS}, one receiver, and the service on one database. */
export class Stage {
  private constructor(
    readonly services: ServiceProcess[],
    readonly receiver: CountingReceiver,
    readonly load: Load,
  ) {}

  /** Starts everything except the load. */
  static async open(
    database: Pick<TestDatabase, 'url'>,
    { processes = [{}], workers }: StageOptions = {},
  ): Promise<Stage> {
    const receiver = await CountingReceiver.start();
    const userId = newUser();
    const env = { DATABASE_URL: database.url };
    const services = await Promise.all(
      processes.map((more) => ServiceProcess.at({ ...SERVICE_ENV, ...env, ...more })),
    );
    // One after another, because the first one creates the tables.
    for (const service of services) await service.start();
    for (const path of PATHS)
      await createWebhook(services[0] as ServiceProcess, { user_id: userId, url: receiver.url + path });
    const reporting = services.filter((_, index) => processes[index]?.ROLE !== 'worker');
    const load = new Load({
      userId,
      urls: reporting.map(({ url }) => url),
      isEnough: (accepted) => accepted * PATHS.length - receiver.counts.size > MAX_BACKLOG,
      ...(workers ? { workers } : {}),
    });
    return new Stage(services, receiver, load);
  }

  /** Opens a stage that is closed before the database is dropped. */
  static async on(database: DatabaseFixture, options?: StageOptions): Promise<Stage> {
    const stage = await Stage.open(database, options);
    database.defer(() => stage.close());
    return stage;
  }

  get service(): ServiceProcess {
    return this.services[0] as ServiceProcess;
  }

  /** Stops the load, and waits until every accepted notification has arrived and no trigger is unfinished. */
  async settle(withinMs = 60_000): Promise<void> {
    await this.arrive(withinMs);
    await until(async () => (await this.unfinished()) === 0, { withinMs, what: 'that nothing is stranded' });
  }

  /** Stops the load, and waits until every accepted notification has arrived. */
  async arrive(withinMs = 60_000): Promise<void> {
    await this.load.stop();
    this.receiver.delayMs = 0;
    this.receiver.release();
    const missing = new Set(this.expected);
    const arrived = () => {
      for (const key of missing) if (this.receiver.counts.has(key)) missing.delete(key);
      return missing.size === 0;
    };
    await until(arrived, { withinMs, what: 'that nothing is lost' }).catch((error) => {
      throw new Error(`${error.message}: ${missing.size} are missing\n${this.outputs}`);
    });
  }

  /**
   * How often some trigger was found with a status that is not final. One after the other, in the order in which triggers get
   * them: all that are claimed in between would be missed by two looks at once.
   */
  private async unfinished(): Promise<number> {
    let found = 0;
    for (const status of ['PENDING', 'DELIVERING', 'PENDING', 'DELIVERING']) {
      const { body } = await this.service.call('GET', `/v1/webhook/trigger/list?status=${status}&limit=1`);
      if (body.data.length > 0) found++;
    }
    return found;
  }

  /** Checks what must hold after every test. @returns the figures for the report. */
  figures(): { accepted: number; received: number; lost: number; duplicates: number } {
    const { load, receiver, expected } = this;
    const lost = expected.filter((key) => !receiver.counts.has(key)).length;
    const figures = {
      accepted: expected.length,
      received: receiver.arrivals,
      lost,
      duplicates: receiver.duplicates,
    };
    expect({ lost, otherAnswers: load.otherAnswers }).toEqual({ lost: 0, otherAnswers: 0 });
    return figures;
  }

  async close(): Promise<void> {
    await this.load.close();
    await Promise.all(this.services.map((service) => service.end('SIGKILL')));
    await this.receiver.close();
  }

  /** What was accepted, as {@link CountingReceiver} counts it. */
  private get expected(): string[] {
    return [...this.load.accepted].flatMap((id) => PATHS.map((path) => `${path} ${id}`));
  }

  /** Deliveries of what was accepted that have not arrived. */
  get backlog(): number {
    return this.load.accepted.size * PATHS.length - this.receiver.counts.size;
  }

  /** The last of what the processes said. */
  get outputs(): string {
    return this.services.map(({ output }) => output.slice(-2000)).join('\n---\n');
  }
}
