import type { WebhookEventKindDto } from 'webhook-notification-service-client';
import { useQuery } from '../data/query.js';
import type { Resource } from '../data/resource.js';

/** Kinds change when the service is started anew, if at all. */
const FRESH_MS = 10 * 60_000;

export function useKinds(): Pick<Resource<unknown>, 'problem' | 'refresh'> & {
  readonly rows: readonly WebhookEventKindDto[] | undefined;
} {
  const kinds = useQuery('/v1/webhook/event/kind/list', {} as never, { freshMs: FRESH_MS });
  return {
    get rows() {
      return kinds.data?.data;
    },
    get problem() {
      return kinds.problem;
    },
    refresh: kinds.refresh,
  };
}
