import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { firstIdOf, timeOfId } from '../platform/ids/first-id.js';
import { LeftoverRepository } from './leftover.repository.js';
import { spansOf } from './spans.js';
import { TASKS } from './tasks.js';

/** How far retention is behind, whichever instance takes care of it. */
@Injectable()
export class RetentionLag {
  constructor(
    private readonly repository: LeftoverRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Seconds by which the oldest notification that retention has not come to is overdue; 0 if there is none. */
  async seconds(): Promise<number> {
    const { payloadMs, rowsMs } = spansOf(this.settings.retention);
    const positions = await this.repository.positions();
    let lagMs = 0;
    for (const [span, task] of [
      [payloadMs, TASKS.payload],
      [rowsMs, TASKS.rows],
    ] as const) {
      if (span === null) continue;
      // Past this, rows go without losing their payload before.
      const from =
        task === TASKS.payload && rowsMs !== null ? firstIdOf(Math.floor(this.clock.now() - rowsMs)) : '';
      const reached = positions.get(task) ?? '';
      const next = await this.repository.after(reached > from ? reached : from);
      if (next) lagMs = Math.max(lagMs, this.clock.now() - timeOfId(next) - span);
    }
    return lagMs / 1000;
  }
}
