import { Controller, Get, HttpCode, Inject, UseFilters } from '@nestjs/common';
import { Dispatcher } from '../../engine/dispatch/dispatcher.js';
import { IntakeConsumer, type IntakeState } from '../../notifier/intake/intake-consumer.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { Problem } from '../../platform/problem.js';
import { ApiExcludeController } from '../../rest/docs.js';
import { ProblemFilter } from '../../rest/problem.filter.js';
import { Database } from '../../store/database.js';

/** Longer than a healthy database needs, shorter than a load balancer's timeout. */
const CHECK_MS = 2000;

@ApiExcludeController()
@Controller('health')
@UseFilters(ProblemFilter)
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly dispatcher: Dispatcher,
    private readonly intake: IntakeConsumer,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Liveness: the process responds. */
  @Get('live')
  @HttpCode(200)
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Readiness: database, schema and deliveries are in order. @throws Problem 503 `not_ready`, naming what is not */
  @Get('ready')
  async ready(): Promise<{ status: 'ok'; checks: Record<string, string> }> {
    const checks = await this.check();
    const failed = Object.entries(checks).filter(([, ok]) => !ok);
    if (failed.length > 0) {
      throw new Problem(503, 'not_ready', `Not ready: ${failed.map(([name]) => name).join(', ')}.`, {
        headers: { 'Retry-After': '5' },
      });
    }
    return {
      status: 'ok',
      checks: { database: 'ok', migrations: 'ok', delivery: 'ok', ...this.intakeState() },
    };
  }

  /** Told, and not judged: without the broker everything else still works, and it would come back no sooner. */
  private intakeState(): { intake?: IntakeState } {
    const { state } = this.intake;
    return state === 'off' ? {} : { intake: state };
  }

  private async check(): Promise<Record<string, boolean>> {
    const pending = await this.database.hasPendingMigrations(CHECK_MS);
    return {
      database: pending !== null,
      migrations: pending !== true,
      delivery: this.dispatcher.isRunning || this.settings.role === 'api',
    };
  }
}
