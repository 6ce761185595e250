import { z } from 'zod';
import { type EventInput, kindFields, kindOfBody, oneKind } from '../../event/dto/event-body.js';
import type { WebhookEventKind } from '../../event/event-kinds.js';
import { flag, id, line, paging, paragraph, queryFlag, userId } from '../../rest/fields.js';
import { queryLike } from '../../rest/input.js';
import { headersField, noMask } from '../headers.js';
import { secretField } from './secret.dto.js';

const eventsField = (kind: z.ZodType<string>) =>
  z
    .array(
      z.union(
        [
          kind.transform((name): EventInput => ({ kind: name as WebhookEventKind, enabled: true })),
          z
            .strictObject({ ...kindFields(kind), enabled: flag.default(true) })
            .superRefine(oneKind)
            .transform((event): EventInput => ({ kind: kindOfBody(event), enabled: event.enabled })),
        ],
        { error: 'must be an event kind, or { kind, enabled? } with a known kind' },
      ),
      { error: 'must be an array of event kinds' },
    )
    .max(1000, { error: 'must be at most 1000 events' })
    .superRefine((events, context) => {
      const seen = new Set<string>();
      for (const [index, event] of events.entries()) {
        if (seen.has(event.kind))
          context.addIssue({ code: 'custom', message: 'is given twice', path: [index] });
        seen.add(event.kind);
      }
    });

/** @param judge returns the error of a URL, or null. */
export const webhookBodies = (kind: z.ZodType<string>, judge: (url: string) => string | null) => {
  const url = z.string({ error: 'must be a string' }).superRefine((text, context) => {
    // URL parsers drop or encode these, so the URL that is called would differ from the one that is stored.
    const isClean = text.isWellFormed() && !/[\s\p{Cc}]/u.test(text);
    const message = isClean ? judge(text) : 'must not hold blanks or control characters';
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
  const description = paragraph(1024).nullable();
  const input = z.strictObject({
    name: line(128),
    url,
    enabled: flag.default(true),
    description: description.default(null),
    headers: headersField.superRefine(noMask).default({}),
    events: eventsField(kind).default([]),
    secret: secretField.optional(),
  });
  return {
    /** Services take the owner beside it. */
    input,
    create: input.extend({ user_id: userId.optional() }),
    update: z.strictObject({
      id,
      name: line(128).optional(),
      url: url.optional(),
      enabled: flag.optional(),
      description: description.optional(),
      headers: headersField.optional(),
      events: eventsField(kind).optional(),
    }),
  };
};
export type CreateWebhookBody = z.output<ReturnType<typeof webhookBodies>['create']>;
export type NewWebhookInput = z.output<ReturnType<typeof webhookBodies>['input']>;
export type UpdateWebhookBody = z.output<ReturnType<typeof webhookBodies>['update']>;

/** The owner that `WebhookService.create` takes. */
export const ownerInput = z.strictObject({ userId });

export const webhookListQuery = z.strictObject({
  enabled: queryFlag.optional(),
  event_kind: line(64).optional(),
  name: line(128).optional(),
  user_id: userId.optional(),
  ...paging,
});
export type WebhookListQuery = z.infer<typeof webhookListQuery>;
export const webhookListInput = queryLike(webhookListQuery).extend({ enabled: flag.optional() });
