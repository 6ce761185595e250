import { applyDecorators, HttpCode, type Type, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiProperty, ApiResponse, ApiSchema } from '@nestjs/swagger';
import { NoQueryInterceptor } from './no-query.interceptor.js';
import { RequireScope, type Scope } from './principal.js';

@ApiSchema({ description: 'A field that is not valid' })
export class WebhookFieldErrorDto {
  @ApiProperty({
    example: '/url',
    description: 'JSON Pointer (RFC 6901) into the body, or `?name` of a query parameter',
  })
  pointer: string;
  @ApiProperty({ example: 'The URL must use http or https.' })
  message: string;
}

@ApiSchema({ description: 'What went wrong: RFC 9457 problem details' })
export class WebhookProblemDto {
  @ApiProperty({ example: 'about:blank' })
  type: string;
  @ApiProperty({ example: 'Bad Request' })
  title: string;
  @ApiProperty({ example: 400 })
  status: number;
  @ApiProperty({ example: 'A field is not valid; see "errors".' })
  detail: string;
  @ApiProperty({ example: '/v1/webhook' })
  instance: string;
  @ApiProperty({ example: 'validation_failed', description: 'A stable word for programs' })
  code: string;
  @ApiProperty({ type: [WebhookFieldErrorDto], required: false })
  errors?: WebhookFieldErrorDto[];
}

const PROBLEMS: Record<number, string> = {
  400: 'The request is not valid; every bad field is named',
  401: 'The caller is not known',
  403: 'The key lacks the scope, or names another user',
  404: 'No such object, or it belongs to somebody else',
  409: 'The state of the object does not allow it',
  412: 'The object is not the one that If-Match names any more',
  413: 'The body is too large',
  415: 'The body is not application/json',
  422: 'A limit is reached',
  429: 'Too many calls by this caller; see Retry-After',
  503: 'The database does not answer; nothing was stored; see Retry-After',
};

interface OperationOptions {
  id: string;
  summary: string;
  description?: string;
  scope: Scope;
  status?: 200 | 201 | 202;
  /** Null where the answer is described elsewhere. */
  answer: Type | null;
  answerDescription?: string;
  example?: unknown;
  /** Problem answers beside those of every operation (400, 401, 403, 429, 503). */
  problems?: (404 | 409 | 412 | 413 | 415 | 422)[];
}

/** Everything that an endpoint says of itself: scope, status, and its part of the OpenAPI document. */
export function Operation(options: OperationOptions) {
  const { id, summary, description, scope, status = 200, answer, problems = [] } = options;
  const notes = [description, `Needs the scope \`${scope}\`.`].filter(Boolean).join('\n\n');
  return applyDecorators(
    HttpCode(status),
    RequireScope(scope),
    UseInterceptors(NoQueryInterceptor),
    ApiBearerAuth(),
    ApiOperation({ operationId: id, summary, description: notes }),
    ...(answer
      ? [
          ApiResponse({
            status,
            description: options.answerDescription ?? summary,
            type: answer,
            ...(options.example === undefined ? {} : { example: options.example as never }),
          }),
        ]
      : []),
    ...[400, 401, 403, ...problems, 429, 503].map((code) =>
      ApiResponse({
        status: code,
        description: PROBLEMS[code] ?? '',
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/WebhookProblemDto' } },
        },
      }),
    ),
  );
}

@ApiSchema({ description: 'The answer of every deletion' })
export class WebhookDeletedDto {
  @ApiProperty({ format: 'uuid' })
  id: string;
  @ApiProperty({ example: true })
  deleted: true;
}

/** The header with which a creating call may be made again without a second effect. */
export const IdempotentDocs = () =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      '1 to 255 printable ASCII characters. The same key and body within 24 h answer the first result again, with ' +
      '`Idempotent-Replayed: true`; another body is a 422.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  });
