import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Call } from '../common/call.js';
import { answerInTime } from '../rest/deadline.js';

/** Answers 503 where the database keeps a call waiting. */
@Injectable()
export class DeadlineInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest();
    const answer = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(answerInTime(request, new Call(), answer));
  }
}
