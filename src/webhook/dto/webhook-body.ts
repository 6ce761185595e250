import { z } from 'zod';
import { MAX_FILTERS_BYTES, TOO_MANY_FILTERS } from '../../engine/filter/filter.js';
import { storedFilter } from '../../engine/filter/stored-filter.js';
import { headersField, noMask } from '../../engine/webhook/headers.js';
import type { SettingRules } from '../../engine/webhook/setting.js';
import { kindFields, kindOfBody, oneKind } from '../../event/dto/event-body.js';
import { filterField } from '../../event/dto/filter.dto.js';
import type { WebhookEventKind } from '../../event/event-kinds.js';
import { SIGNATURE_SCHEMES } from '../../platform/secret/signing-secret.js';
import { asciiLine, flag, id, line, paging, paragraph, queryFlag, userId } from '../../rest/fields.js';
import { queryLike } from '../../rest/input.js';
import { authenticationFields, noMaskedSecret } from '../authentication/authentication.dto.js';
import { noMaskedKey, tlsFields } from '../authentication/tls.dto.js';
import { settingsFields } from '../settings/settings.dto.js';
import { metadataField } from './metadata.js';
import { faultOfSecret, secretField, signatureField } from './secret.dto.js';

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
      const bytes = events.map(({ filter }) => Buffer.byteLength(storedFilter(filter).filter ?? ''));
      if (bytes.reduce((sum, one) => sum + one, 0) > MAX_FILTERS_BYTES)
        context.addIssue({ code: 'custom', message: TOO_MANY_FILTERS });
    });
};

/** What a value must not be depends on the service. Each returns the error, or null. */
export interface WebhookRules extends SettingRules {
  url: (url: string) => string | null;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Bodies of the REST API, and what services take, in which the fields of objects have names in camelCase. */
export function webhookBodies(kind: z.ZodType<string>, rules: WebhookRules) {
  const body = bodiesOf(kind, rules, 'wire');
  const input = bodiesOf(kind, rules, 'input');
  // Services take the owner beside the input.
  const owner = { user_id: userId.optional() };
  return {
    body: {
      create: secretFits(body.create.extend(owner)),
      put: secretFits(body.put.extend(owner)),
      update: body.update,
    },
    input: {
      create: secretFits(input.create),
      put: secretFits(input.put),
      update: input.update,
    },
  };
}

const urlField = (rules: WebhookRules) =>
  z.string({ error: 'must be a string' }).superRefine((text, context) => {
    // URL parsers drop or encode these, so the URL that is called would differ from the one that is stored.
    const isClean = text.isWellFormed() && !/[\s\p{Cc}]/u.test(text);
    const message = isClean ? rules.url(text) : 'must not hold blanks or control characters';
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

/** @param form objects among the fields have names of their own in the REST API, and in what services take. */
function bodiesOf(kind: z.ZodType<string>, rules: WebhookRules, form: 'wire' | 'input') {
  const url = urlField(rules);
  const settings = settingsFields(rules)[form];
  const authentication = authenticationFields(url)[form];
  const tls = tlsFields(rules.now)[form];
  const fields = {
    name: line(128),
    url,
    enabled: flag,
    description: paragraph(1024).nullable(),
    headers: headersField,
    events: eventsField(kind),
    signature: signatureField,
    uid: uidField.nullable(),
    metadata: metadataField,
    settings,
    authentication,
    tls,
  };
  const create = z.strictObject({
    ...fields,
    enabled: flag.default(true),
    description: fields.description.default(null),
    headers: headersField.superRefine(noMask).default({}),
    events: fields.events.default([]),
    secret: secretField.optional(),
    signature: signatureField.default(null),
    uid: fields.uid.default(null),
    metadata: metadataField.default(null),
    settings: settings.default(null),
    authentication: authentication.superRefine(noMaskedSecret).default(null),
    tls: tls.superRefine(noMaskedKey).default(null),
  });
  return {
    create,
    update: z.strictObject({ id, ...z.object(fields).partial().shape }),
    /** Makes a webhook what it says, whether there is one with this `uid` or not. */
    put: create.extend({
      uid: uidField,
      headers: headersField.default({}),
      authentication: authentication.default(null),
      tls: tls.default(null),
    }),
  };
}

/** What is wrong with the secret of a body, whose other fields may be wrong as well. */
function secretFault(body: unknown): string | null {
  const { secret, signature } = body as { secret?: unknown; signature?: { scheme?: unknown } | null };
  const given = signature ? signature.scheme : 'standard';
  const scheme = SIGNATURE_SCHEMES.find((one) => one === given);
  return typeof secret === 'string' && scheme ? faultOfSecret(scheme, secret) : null;
}

/** A body that creates: its secret must fit its scheme. */
const secretFits = <S extends z.ZodType>(body: S) =>
  body.refine((given) => secretFault(given) === null, {
    path: ['secret'],
    error: ({ input }) => secretFault(input) ?? undefined,
    when: ({ value }) => typeof value === 'object' && value !== null,
  });

type Bodies = ReturnType<typeof webhookBodies>;
export type CreateWebhookBody = z.output<Bodies['body']['create']>;
export type PutWebhookBody = z.output<Bodies['body']['put']>;
export type NewWebhookInput = z.output<Bodies['input']['create']>;
export type PutWebhookInput = z.output<Bodies['input']['put']>;
export type UpdateWebhookInput = z.output<Bodies['input']['update']>;

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
