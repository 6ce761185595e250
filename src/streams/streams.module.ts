import { Global, Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { ChangeFeed } from './change-feed.js';
import { ChangePruning } from './change-pruning.js';
import { Positions } from './position.js';
import { StreamLimit } from './stream-limit.js';
import { Streams } from './streams.js';

/**
 * What triggers and notifications are followed with. Global, because Nest ends global modules last: streams go on while the last
 * attempts of a process that stops end.
 */
@Global()
@Module({
  imports: [EngineModule],
  providers: [Streams, StreamLimit, ChangeFeed, ChangePruning, Positions],
  exports: [Streams],
})
export class StreamsModule {}
