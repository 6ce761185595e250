import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type Observable, throwError, timeout } from 'rxjs';
import { databaseUnavailable } from '../common/problem.js';

/** Callers learn within 5 s that the database does not answer. */
const DEADLINE_MS = 4500;

/** Whatever takes so long waits for the database: nothing else in a call can. */
@Injectable()
export class DeadlineInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(timeout({ each: DEADLINE_MS, with: () => throwError(databaseUnavailable) }));
  }
}
