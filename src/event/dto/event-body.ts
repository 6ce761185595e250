import { z } from 'zod';
import type { Filter } from '../../engine/filter/filter.js';
import { flag, id } from '../../rest/fields.js';
import type { WebhookEventKind } from '../event-kinds.js';
import { filterField } from './filter.dto.js';

/** An event as a webhook's `events` list gives it. */
export interface EventInput {
  kind: WebhookEventKind;
  enabled: boolean;
  filter: Filter | null;
}

/** `kind` and `event_kind` are one field under two names: either will do, and both when equal. */
export interface KindFields {
  kind?: string | undefined;
  event_kind?: string | undefined;
}

export const kindFields = (kind: z.ZodType<string>) => ({
  kind: kind.optional(),
  event_kind: kind.optional(),
});

/** Refines an object with {@link kindFields}. */
export function oneKind(body: KindFields, context: z.RefinementCtx): void {
  if (body.kind === undefined && body.event_kind === undefined) {
    context.addIssue({ code: 'custom', message: 'is required', path: ['kind'] });
  } else if (body.kind !== undefined && body.event_kind !== undefined && body.kind !== body.event_kind) {
    context.addIssue({ code: 'custom', message: 'must equal "kind", or be left out', path: ['event_kind'] });
  }
}

export const kindOfBody = (body: KindFields) => (body.kind ?? body.event_kind) as WebhookEventKind;

export const createEventBody = (kind: z.ZodType<string>) =>
  z
    .strictObject({
      webhook_id: id,
      ...kindFields(kind),
      enabled: flag.default(true),
      filter: filterField.default(null),
    })
    .superRefine(oneKind);

/** What `EventService.create` takes. */
export const newEventInput = (kind: z.ZodType<string>) =>
  z.strictObject({ webhookId: id, kind, enabled: flag.default(true), filter: filterField.default(null) });

export const updateEventBody = z
  .strictObject({ id, enabled: flag.optional(), filter: filterField.optional() })
  .superRefine(({ enabled, filter }, context) => {
    if (enabled === undefined && filter === undefined)
      context.addIssue({
        code: 'custom',
        message: 'must be true or false, unless a filter is given',
        path: ['enabled'],
      });
  });
