import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type CallHandler,
  ConsoleLogger,
  type ExecutionContext,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { Observable } from 'rxjs';
import { plain, type Surroundings } from './around.js';

const user = new AsyncLocalStorage<string>();
const context = () => user.getStore() ?? 'nobody';

/** Knows in each line for whom the application works. */
class TracingLogger extends ConsoleLogger {
  protected override formatPid(): string {
    return `[for ${context()}] `;
  }
}

const intercept = (call: ExecutionContext, next: CallHandler) =>
  new Observable<unknown>((subscriber) =>
    user.run(call.switchToHttp().getRequest().headers['x-user'] ?? 'somebody', () =>
      next.handle().subscribe(subscriber),
    ),
  );

/** A trace and a logger that follow the asynchronous context. */
export const surroundings: Surroundings = {
  ...plain,
  providers: [{ provide: APP_INTERCEPTOR, useValue: { intercept } satisfies NestInterceptor }],
  context,
  prepare: () => Logger.overrideLogger(new TracingLogger({ logLevels: ['debug', 'log', 'warn', 'error'] })),
};
