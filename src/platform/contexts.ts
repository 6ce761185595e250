import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

/** Without any context, unless the package itself was loaded within one. */
const bare = AsyncLocalStorage.snapshot();

/**
 * Runs work outside of the asynchronous contexts of whoever calls: of the call that starts it, and of whatever an application keeps
 * in `AsyncLocalStorage`, such as a trace, the user of a log line, or an open transaction. For what belongs to no single caller, as
 * batches, jobs and signals do.
 */
export const outsideOfContexts = <T>(work: () => T): T =>
  // On Node 22 a context that is entered in there by enterWith stays with the resource: each call has one of its own.
  bare(() => new AsyncResource('webhooks').runInAsyncScope(work));
