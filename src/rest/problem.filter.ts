import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { currentCall } from '../platform/call.js';
import { isDatabaseUnavailable } from '../platform/database-error.js';
import { databaseUnavailable, PROBLEM_TYPE, Problem, pathOf, reasonOf } from '../platform/problem.js';
import { withoutStatement } from '../platform/without-statement.js';
import { keepUncached } from './answer-headers.js';

interface HttpError {
  status?: number;
  statusCode?: number;
  code?: string;
}

/** Refusals of the HTTP layer by status. They replace its own messages, which may name parsers and paths. */
const HTTP_PROBLEMS: Record<number, [code: string, message: string]> = {
  400: ['bad_request', 'The request is malformed.'],
  401: ['unauthenticated', 'The application does not know the caller.'],
  403: ['forbidden', 'The application does not let this call through.'],
  404: ['route_not_found', 'There is no such endpoint.'],
  405: ['method_not_allowed', 'This endpoint does not take this method; see the Allow header.'],
  408: ['request_timeout', 'The request took too long to arrive.'],
  413: [
    'body_too_large',
    'The body is too large: 1 MiB for a notification, 1 KiB to log in, 256 KiB for all else.',
  ],
  414: ['uri_too_long', 'The URL is too long.'],
  429: ['rate_limited', 'The application takes no more calls of this caller at the moment; try again later.'],
  415: ['unsupported_media_type', 'Send the body as Content-Type: application/json.'],
  431: ['headers_too_large', 'The request headers are too large.'],
};

/** Answers every error as RFC 9457 `application/problem+json`. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = this.host.httpAdapter;
    const context = host.switchToHttp();
    const response = context.getResponse();
    const problem = this.problemOf(error);
    // A guard of the application may refuse before ours has said it.
    keepUncached(http, response);
    for (const [name, value] of Object.entries(problem.headers)) http.setHeader(response, name, value);
    http.setHeader(response, 'Content-Type', PROBLEM_TYPE);
    http.reply(response, problem.toBody(pathOf(http.getRequestUrl(context.getRequest()))), problem.status);
  }

  private problemOf(error: unknown): Problem {
    const isProblem = error instanceof Problem;
    // A call with a deadline knows whether anything of it may have been stored.
    if (isProblem ? error.code === 'database_unavailable' : isDatabaseUnavailable(error))
      return currentCall()?.problem ?? (isProblem ? error : databaseUnavailable());
    if (isProblem) return error;
    const status = statusOf(error);
    if (status >= 400 && status < 500) {
      const [code, message] = HTTP_PROBLEMS[status] ?? refusedAs(status);
      return new Problem(status, code, message);
    }
    const logged = withoutStatement(error);
    this.logger.error(logged instanceof Error ? logged : new Error(String(logged)));
    // A guard or an interceptor of the application says on purpose that it cannot answer.
    if (error instanceof HttpException && status > 500 && status < 600)
      return new Problem(status, ...refusedAs(status));
    return new Problem(500, 'internal_error', 'Something went wrong here. It has been logged.');
  }
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { status, statusCode } = (error ?? {}) as HttpError;
  return statusCode ?? status ?? 500;
}

/** A refusal of the application's own guards and interceptors with any other status. */
function refusedAs(status: number): [code: string, message: string] {
  const name = reasonOf(status);
  return [name.toLowerCase().replace(/[^a-z]+/g, '_'), `The application does not answer this call: ${name}.`];
}
