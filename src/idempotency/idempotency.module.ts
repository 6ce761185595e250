import { Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyKeys } from './idempotency-keys.js';
import { IdempotencyPurge } from './idempotency-purge.js';

/** A repeated call gets the first call's answer and has no further effect. */
@Module({
  providers: [IdempotencyKeys, IdempotencyPurge, IdempotencyRepository],
  exports: [IdempotencyKeys, IdempotencyRepository],
})
export class IdempotencyModule {}
