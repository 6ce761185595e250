import {
  type BeforeApplicationShutdown,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type Provider,
  type Type,
} from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { Jobs } from '../jobs/jobs.js';
import { TRANSPORT, type Transport } from '../network/transport/transport.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { outsideOfContexts } from '../platform/contexts.js';
import { failpoint } from '../platform/failpoint.js';
import { settledInTime } from '../platform/settled-in-time.js';
import { ACCEPT } from './accept/providers.js';
import { CHANGES } from './changes/providers.js';
import { COUNTS } from './counts/providers.js';
import { Claimer } from './dispatch/claimer.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { DISPATCH } from './dispatch/providers.js';
import { FILTER } from './filter/providers.js';
import { HEALTH } from './health/providers.js';
import { INSTANCE } from './instance/providers.js';
import { Heartbeat } from './leases/heartbeat.js';
import { LeaseRecovery } from './leases/lease-recovery.js';
import { LEASES } from './leases/providers.js';
import { LEDGER } from './ledger/providers.js';
import { DeliveryMetricsModule } from './metrics/delivery-metrics.module.js';
import { ORDERING } from './ordering/providers.js';
import { QUEUE } from './queue/providers.js';
import { REPLAY } from './replay/providers.js';
import { REPORT } from './report/providers.js';
import { SEND } from './send/providers.js';
import { SETTLE } from './settle/providers.js';

/** One module for all rooms, as most of them inject classes of several others. */
const ROOMS = [
  LEASES,
  REPLAY,
  DISPATCH,
  ACCEPT,
  SETTLE,
  REPORT,
  SEND,
  QUEUE,
  ORDERING,
  COUNTS,
  INSTANCE,
  LEDGER,
  HEALTH,
  FILTER,
  CHANGES,
];

/** The engine: accepts notifications, and claims, sends and settles their triggers. */
@Module({
  imports: [DeliveryMetricsModule, IdempotencyModule],
  providers: ROOMS.flatMap((room): Provider[] => room.providers),
  exports: ROOMS.flatMap((room): Type[] => room.exports),
})
export class EngineModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly heartbeat: Heartbeat,
    private readonly recovery: LeaseRecovery,
    private readonly dispatcher: Dispatcher,
    private readonly claimer: Claimer,
    private readonly jobs: Jobs,
    @Inject(TRANSPORT) private readonly transport: Transport,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** An application may start in a context of its own, which is not that of all it sends from then on. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.role !== 'api') await outsideOfContexts(() => this.start());
  }

  private async start(): Promise<void> {
    await this.heartbeat.start();
    await this.recovery.takeOver();
    this.dispatcher.start();
    this.claimer.start();
    this.jobs.start();
  }

  /** Each step has its own time limit, as the database may be silent. */
  async beforeApplicationShutdown(): Promise<void> {
    // What it has just claimed is requeued with the rest.
    await settledInTime(this.claimer.stop());
    await Promise.all([this.jobs.stopSending(), this.dispatcher.stop()]);
    await this.jobs.stop();
    failpoint('stop-given-back');
    await settledInTime(this.heartbeat.stop());
    failpoint('stop-left');
    await settledInTime(this.transport.close());
  }
}
