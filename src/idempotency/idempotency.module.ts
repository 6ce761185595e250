import { Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyKeys } from './idempotency-keys.js';

/** The same call again has the first one's answer, and no effect. */
@Module({
  providers: [IdempotencyKeys, IdempotencyRepository],
  exports: [IdempotencyKeys, IdempotencyRepository],
})
export class IdempotencyModule {}
