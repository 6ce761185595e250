import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { map, type Observable } from 'rxjs';

interface ListBody {
  next_cursor: string | null;
}

/** Adds `Link: <…>; rel="next"` (RFC 8288) to every list page but the last. */
@Injectable()
export class LinkInterceptor implements NestInterceptor<ListBody> {
  constructor(private readonly http: HttpAdapterHost) {}

  intercept(context: ExecutionContext, next: CallHandler<ListBody>): Observable<ListBody> {
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

/** @param url path and query of the call. */
function nextLink(url: string, nextCursor: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', nextCursor);
  return `<${path}?${parameters}>; rel="next"`;
}
