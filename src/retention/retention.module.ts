import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { CandidateRepository } from './candidate.repository.js';
import { FreePages } from './free-pages.js';
import { LeftoverRepository } from './leftover.repository.js';
import { Pauses } from './pauses.js';
import { RemovalRepository } from './removal.repository.js';
import { Retention } from './retention.js';
import { RetentionLag } from './retention-lag.js';
import { RetentionPass } from './retention-pass.js';

/** Removes what is past its retention. */
@Module({
  imports: [EngineModule],
  providers: [
    Retention,
    RetentionPass,
    RetentionLag,
    RemovalRepository,
    CandidateRepository,
    LeftoverRepository,
    FreePages,
    Pauses,
  ],
  exports: [RetentionLag],
})
export class RetentionModule {}
