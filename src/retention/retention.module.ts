import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { Database } from '../store/database.js';
import { CandidateRepository } from './candidate.repository.js';
import { EngineLoad } from './engine-load.js';
import { FreePages } from './free-pages.js';
import { LeftoverRepository } from './leftover.repository.js';
import { MysqlRemovalRepository } from './mysql-removal.repository.js';
import { RemovalRepository } from './removal.repository.js';
import { Removals } from './removals.js';
import { Retention } from './retention.js';
import { RetentionLag } from './retention-lag.js';
import { RetentionPass } from './retention-pass.js';
import { SqliteRemovalRepository } from './sqlite-removal.repository.js';

const removalRepository = {
  provide: RemovalRepository,
  inject: [Database, CLOCK],
  useFactory: (database: Database, clock: Clock): RemovalRepository =>
    database.dialect === 'sqlite'
      ? new SqliteRemovalRepository(database)
      : new MysqlRemovalRepository(database, clock),
};

/** Removes what is past its retention. */
@Module({
  imports: [EngineModule],
  providers: [
    Retention,
    RetentionPass,
    RetentionLag,
    Removals,
    removalRepository,
    CandidateRepository,
    LeftoverRepository,
    FreePages,
    EngineLoad,
  ],
  exports: [RetentionLag],
})
export class RetentionModule {}
