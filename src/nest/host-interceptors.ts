import { applyDecorators, SerializeOptions, SetMetadata } from '@nestjs/common';

/**
 * For controllers whose answers an application's ClassSerializerInterceptor leaves as they are. Its own options may leave out
 * what no decorator exposes.
 */
export const Unserialized = () =>
  SerializeOptions({
    strategy: 'exposeAll',
    ignoreDecorators: true,
    excludeExtraneousValues: false,
    excludePrefixes: [],
  });

const noKey = () => undefined;

const noTime = (): never => {
  throw new Error('What the webhooks answer is for its caller alone: an interceptor must not cache it.');
};

/**
 * For handlers whose answers stay out of an application's CacheInterceptor (`@nestjs/cache-manager`), which knows an answer by its
 * URL, whoever asked. It caches nothing that has no key. One that is derived from it may have keys of its own (`trackBy`), but
 * goes on without its cache where it cannot learn for how long. It looks for a key at the handler, not at its class.
 */
export const Uncached = () =>
  applyDecorators(
    SetMetadata('cache_module:cache_key', noKey),
    SetMetadata('cache_module:cache_ttl', noTime),
  );
