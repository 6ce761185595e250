import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { untilDeadline } from '../common/deadline.js';

/** Answers 503 where the database keeps a call waiting. */
@Injectable()
export class DeadlineInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest();
    return from(untilDeadline(request, lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}
