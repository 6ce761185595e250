import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { type ListBody, nextLink } from './list.js';

/** Adds `Link: <…>; rel="next"` (RFC 8288) to every list page but the last. */
@Injectable()
export class LinkInterceptor implements NestInterceptor<ListBody<unknown>> {
  constructor(private readonly http: HttpAdapterHost) {}

  intercept(context: ExecutionContext, next: CallHandler<ListBody<unknown>>): Observable<ListBody<unknown>> {
    const { httpAdapter } = this.http;
    const request = context.switchToHttp().getRequest();
    const url: string = request.originalUrl ?? httpAdapter.getRequestUrl(request);
    return next.handle().pipe(
      map((body) => {
        if (body.next_cursor) {
          httpAdapter.setHeader(
            context.switchToHttp().getResponse(),
            'Link',
            nextLink(url, body.next_cursor),
          );
        }
        return body;
      }),
    );
  }
}
