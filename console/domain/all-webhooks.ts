import type { WebhookDto } from 'webhook-notification-service-client';
import { type List, type ListOptions, useList } from '../data/list.js';
import { ofWhom } from '../data/who.js';

/** A user has a hundred unless the operator allows more; an admin looks at those of everybody. */
export const WEBHOOKS_AT_MOST = 1_000;

/** The webhooks that one looks at, the newest of them where there are very many. */
export const useAllWebhooks = (options: ListOptions = {}): List<WebhookDto> =>
  useList('/v1/webhook/list', ofWhom(), {
    pageSize: 100,
    upTo: WEBHOOKS_AT_MOST,
    freshMs: 30_000,
    ...options,
  });
