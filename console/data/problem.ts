import type { WebhookProblemDto } from 'webhook-notification-service-client';

/** Why a call failed: what the service says (RFC 9457), or what is known without it. */
export interface Problem {
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** A stable word. */
  readonly code: string;
  readonly detail: string;
  /** What is wrong with each field, by JSON Pointer, or `?name` for a query parameter. */
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
  /** How long the service wants to be left alone. */
  readonly retryAfterMs: number | null;
}

export const UNREACHABLE: Problem = {
  status: 0,
  code: 'unreachable',
  detail: 'The service cannot be reached.',
  errors: [],
  retryAfterMs: null,
};

/** Of a call that nobody waits for any more. */
export const CANCELLED: Problem = { ...UNREACHABLE, code: 'cancelled', detail: 'The call was cancelled.' };

export function problemOf(response: Response, body: unknown): Problem {
  const { code, detail, errors } = (body ?? {}) as Partial<WebhookProblemDto>;
  const { status } = response;
  const retryAfterMs = retryAfterOf(response);
  if (typeof code === 'string' && typeof detail === 'string') {
    return { status, code, detail, errors: errors ?? [], retryAfterMs };
  }
  return {
    status,
    code: 'unexpected_answer',
    detail: `Something in between answered ${status}${response.statusText && ` ${response.statusText}`}.`,
    errors: [],
    retryAfterMs,
  };
}

function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get('Retry-After');
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
