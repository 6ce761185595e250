import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundTask } from '../platform/background-task.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { EngineLoad } from './engine-load.js';
import { pauseAfter } from './pace.js';
import { RetentionPass } from './retention-pass.js';

const LONGEST_PAUSE_AFTER_ERROR_MS = 10_000;

/** Removes in the background what is past its retention, a little at a time. */
@Injectable()
export class Retention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Retention');
  private readonly task: BackgroundTask;
  private readonly lookMs: number | null;
  private steps: ReturnType<RetentionPass['steps']> | null = null;
  private begunAt = 0;
  /** Whether the last pass did not come to its end. */
  private isBehind = false;

  constructor(
    private readonly pass: RetentionPass,
    private readonly load: EngineLoad,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.lookMs = pass.spans.lookMs;
    this.task = new BackgroundTask(clock, () => this.step(), {
      logger: this.logger,
      failure: 'Nothing removed for now',
      againAfterErrorMs: Math.min(LONGEST_PAUSE_AFTER_ERROR_MS, this.lookMs ?? LONGEST_PAUSE_AFTER_ERROR_MS),
    });
  }

  onApplicationBootstrap(): void {
    if (this.lookMs !== null && this.settings.role !== 'api') this.task.runAfter(Math.min(this.lookMs, 1000));
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** One step of a pass. @returns the pause until the next. */
  private async step(): Promise<number | null> {
    const begin = this.clock.monotonic();
    if (!this.steps) {
      this.steps = this.pass.steps();
      this.begunAt = begin;
    }
    try {
      const { value: did, done } = await this.steps.next();
      if (done) return this.ended();
      return pauseAfter(this.clock.monotonic() - begin, await this.load.now(), did, this.isBehind);
    } catch (error) {
      this.steps = null;
      throw error;
    }
  }

  private ended(): number | null {
    this.steps = null;
    const { payload, rows, pages, isComplete } = this.pass.result;
    this.isBehind = !isComplete;
    if (payload + rows + pages > 0) {
      const seconds = ((this.clock.monotonic() - this.begunAt) / 1000).toFixed(1);
      this.logger.log(
        `Past their retention: ${rows} notifications and the payloads of ${payload} removed in ${seconds} s` +
          `${pages > 0 ? `, ${pages} free pages given back` : ''}${isComplete ? '' : '; there is more'}.`,
      );
    }
    return isComplete ? this.lookMs : 0;
  }
}
