import type { ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { from, mergeMap, type Observable, of } from 'rxjs';
import { onAnswered } from '../../rest/on-answered.js';
import { PRINCIPAL, type Principal } from '../../rest/principal.js';
import { AnswerPlaces } from './answer-places.js';

/** Holds a place for a call whose answer may be large until the answer has been read. */
@Injectable()
export class LargeAnswerInterceptor implements NestInterceptor {
  constructor(private readonly places: AnswerPlaces) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { userId }: Principal = http.getRequest()[PRINCIPAL];
    const reply = http.getResponse<ServerResponse & { raw?: ServerResponse }>();
    const answered = new AbortController();
    onAnswered(reply.raw ?? reply, () => answered.abort());
    return from(this.places.take(userId, answered.signal)).pipe(
      mergeMap((leave) => {
        if (!leave) return of(undefined);
        if (answered.signal.aborted) leave();
        answered.signal.addEventListener('abort', leave);
        return next.handle();
      }),
    );
  }
}
