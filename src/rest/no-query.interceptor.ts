import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { invalid } from '../common/problem.js';

const WITH_BODY = ['POST', 'PATCH'];

/** What a call with a body has to say stands in the body: it takes no query parameters. */
@Injectable()
export class NoQueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { method, query } = context.switchToHttp().getRequest();
    const names = WITH_BODY.includes(method) ? Object.keys(query ?? {}) : [];
    if (names.length === 0) return next.handle();
    throw invalid(names.map((name) => ({ pointer: `?${name}`, message: 'is not a known field' })));
  }
}
