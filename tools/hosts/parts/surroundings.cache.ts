import { CacheInterceptor, CacheModule } from '@nestjs/cache-manager';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { plain, type Surroundings } from './around.js';

/** A cache for all routes, as Nest's documentation binds it. */
export const surroundings: Surroundings = {
  ...plain,
  imports: [CacheModule.register({ ttl: 600_000 })],
  providers: [{ provide: APP_INTERCEPTOR, useClass: CacheInterceptor }],
};
