import { z } from 'zod';
import { kindFields, kindOfBody, oneKind } from '../../event/dto/event-body.js';
import { filterField } from '../../event/dto/filter.dto.js';
import type { WebhookEventKind } from '../../event/event-kinds.js';
import { asciiLine, flag, id, line, paging, paragraph, queryFlag, userId } from '../../rest/fields.js';
import { queryLike } from '../../rest/input.js';
import { headersField, noMask } from '../headers.js';
import { metadataField } from './metadata.js';
import { secretField } from './secret.dto.js';

/** MySQL ignores blanks at the end. */
const uidField = userId;

const eventsField = (kind: z.ZodType<string>) => {
  // The filter is judged outside of the union, which would not say what is wrong with it.
  const event = z
    .strictObject({ ...kindFields(kind), enabled: flag.default(true), filter: z.unknown().optional() })
    .superRefine(oneKind)
    .transform(({ enabled, filter, ...fields }) => ({ kind: kindOfBody(fields), enabled, filter }));
  const bare = kind.transform((name) => ({ kind: name as WebhookEventKind, enabled: true, filter: null }));
  return z
    .array(
      z
        .union([bare, event], {
          error: 'must be an event kind, or { kind, enabled?, filter? } with a known kind',
        })
        .pipe(
          z.object({ kind: z.custom<WebhookEventKind>(), enabled: flag, filter: filterField.default(null) }),
        ),
      { error: 'must be an array of event kinds' },
    )
    .max(1000, { error: 'must be at most 1000 events' })
    .superRefine((events, context) => {
      const seen = new Set<string>();
      for (const [index, { kind: name }] of events.entries()) {
        if (seen.has(name)) context.addIssue({ code: 'custom', message: 'is given twice', path: [index] });
        seen.add(name);
      }
    });
};

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
    uid: uidField.nullable().default(null),
    metadata: metadataField.default(null),
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
      uid: uidField.nullable().optional(),
      metadata: metadataField.optional(),
    }),
    /** Makes a webhook what it says, whether there is one with this `uid` or not. */
    put: input.extend({ uid: uidField, headers: headersField.default({}), user_id: userId.optional() }),
  };
};
export type CreateWebhookBody = z.output<ReturnType<typeof webhookBodies>['create']>;
export type NewWebhookInput = z.output<ReturnType<typeof webhookBodies>['input']>;
export type PutWebhookBody = z.output<ReturnType<typeof webhookBodies>['put']>;
export type UpdateWebhookBody = z.output<ReturnType<typeof webhookBodies>['update']>;

/** Finds a webhook by its id, or by the name that its user gave it. */
export const findWebhookQuery = z
  .strictObject({ id: id.optional(), uid: uidField.optional(), user_id: userId.optional() })
  .superRefine((query, context) => {
    const add = (message: string, name: string) =>
      context.addIssue({ code: 'custom', message, path: [name] });
    if (query.id === undefined && query.uid === undefined) add('is required, or uid', 'id');
    if (query.id !== undefined && query.uid !== undefined) add('cannot be given beside id', 'uid');
    if (query.user_id !== undefined && query.uid === undefined) add('can only be given with uid', 'user_id');
  });
export type FindWebhookQuery = z.infer<typeof findWebhookQuery>;

/** The owner that `WebhookService.create` takes. */
export const ownerInput = z.strictObject({ userId });

export const webhookListQuery = z.strictObject({
  enabled: queryFlag.optional(),
  event_kind: asciiLine(64).optional(),
  name: line(128).optional(),
  user_id: userId.optional(),
  ...paging,
});
export type WebhookListQuery = z.infer<typeof webhookListQuery>;
export const webhookListInput = queryLike(webhookListQuery).extend({ enabled: flag.optional() });
