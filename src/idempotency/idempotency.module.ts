import { Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyKeys } from './idempotency-keys.js';
import { IdempotencyPurge } from './idempotency-purge.js';

/** The same call again has the first one's answer, and no effect. */
@Module({
  providers: [IdempotencyKeys, IdempotencyPurge, IdempotencyRepository],
  exports: [IdempotencyKeys, IdempotencyPurge, IdempotencyRepository],
})
export class IdempotencyModule {}
