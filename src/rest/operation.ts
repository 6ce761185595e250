import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { Uncached } from '../nest/host-interceptors.js';
import type { Scope } from '../platform/access/scope.js';
import type { FieldError } from '../platform/problem.js';
import { answerOf, Field, uuid } from './answer.js';
import type { Deleted } from './deleted.js';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiResponse, ApiSchema } from './docs.js';
import { RequireScope } from './principal.js';

@ApiSchema({ description: 'A field that is not valid' })
export class WebhookFieldErrorDto extends answerOf<FieldError>({
  pointer: {
    example: '/url',
    description: 'JSON Pointer (RFC 6901) into the body, or `?name` of a query parameter',
  },
  message: { example: 'The URL must use http or https.' },
}) {}

@ApiSchema({ description: 'What went wrong: RFC 9457 problem details' })
export class WebhookProblemDto {
  @Field({ example: 'about:blank' })
  type: string;
  @Field({ example: 'Bad Request' })
  title: string;
  @Field({ example: 400 })
  status: number;
  @Field({ example: 'A field is not valid; see "errors".' })
  detail: string;
  @Field({ example: '/v1/webhook' })
  instance: string;
  @Field({ example: 'validation_failed', description: 'A stable word for programs' })
  code: string;
  @Field({ type: [WebhookFieldErrorDto], required: false })
  errors?: WebhookFieldErrorDto[];
}

const PROBLEMS: Record<number, string> = {
  400: 'The request is not valid; every bad field is named',
  401: 'The caller is not known',
  403: 'The key lacks the scope or names another user, or a page of another origin uses a session',
  404: 'No such object, or it belongs to somebody else',
  408: 'The request took too long to arrive',
  409: 'The state of the object does not allow it',
  412: 'The object is not the one that If-Match names any more',
  413: 'The body is too large',
  415: 'The body is not application/json',
  417: 'No expectation but 100-continue can be met',
  422: 'A limit is reached',
  429: 'Too many calls by this caller; see Retry-After',
  431: 'The request headers are too large',
  500: 'Something went wrong in the service; it has been logged',
  503: 'The database does not answer; `detail` says whether anything may have been stored; see Retry-After',
};

/** Problem statuses of every call. */
const OF_ALL = [400, 401, 403, 408, 415, 417, 429, 431, 500, 503];
/** Added for calls with an `Idempotency-Key`. */
const OF_A_KEY = [409, 422];

interface OperationOptions {
  id: string;
  summary: string;
  description?: string;
  /** Null if any caller may make the call. */
  scope: Scope | null;
  status?: 200 | 201 | 202;
  /** Null if the answer is described elsewhere. */
  answer: Type | null;
  answerDescription?: string;
  example?: unknown;
  /** Problem statuses of this operation only. */
  problems?: (404 | 409 | 412 | 413 | 422)[];
}

/** Declares an endpoint: its scope, its status and its part of the OpenAPI document. */
export function Operation({ scope, description, ...options }: OperationOptions) {
  const need = scope && `Needs the scope \`${scope}\`.`;
  return applyDecorators(
    ...(scope ? [RequireScope(scope)] : []),
    ApiBearerAuth(),
    PublicOperation({ ...options, description: [description, need].filter(Boolean).join('\n\n') }),
  );
}

/** Declares an endpoint for callers who are not known yet. */
export function PublicOperation(options: Omit<OperationOptions, 'scope'>) {
  const { id, summary, description = '', status = 200, answer, problems = [] } = options;
  return applyDecorators(
    HttpCode(status),
    Uncached(),
    ApiOperation({ operationId: id, summary, description }),
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
    ProblemDocs([...OF_ALL, ...problems]),
  );
}

const ProblemDocs = (statuses: number[]) =>
  applyDecorators(
    ...[...new Set(statuses)].map((status) =>
      ApiResponse({
        status,
        description: PROBLEMS[status] ?? '',
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/WebhookProblemDto' } },
        },
      }),
    ),
  );

@ApiSchema({ description: 'The answer of every deletion' })
export class WebhookDeletedDto extends answerOf<Deleted>({ id: uuid, deleted: { example: true } }) {}

/** Documents the header that makes a creating call safe to repeat. */
export const IdempotentDocs = () =>
  applyDecorators(
    ProblemDocs(OF_A_KEY),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        '1 to 255 printable ASCII characters. The same key and body within 24 h answer the first result again, with ' +
        '`Idempotent-Replayed: true`; another body is a 422.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
  );
