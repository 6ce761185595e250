import type { ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { from, mergeMap, type Observable, of } from 'rxjs';
import { PRINCIPAL, type Principal } from '../principal.js';
import { AnswerCapacity } from './answer-capacity.js';

/** Lets a call whose answer may be large wait for its part of the capacity, which it has until the answer has been read. */
@Injectable()
export class LargeAnswerInterceptor implements NestInterceptor {
  constructor(private readonly capacity: AnswerCapacity) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { userId }: Principal = http.getRequest()[PRINCIPAL];
    const reply = http.getResponse<ServerResponse & { raw?: ServerResponse }>();
    return from(this.capacity.takeUntilAnswered(userId, 1, reply.raw ?? reply)).pipe(
      mergeMap((isThere) => (isThere ? next.handle() : of(undefined))),
    );
  }
}
