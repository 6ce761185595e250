import { beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyListQuery, createApiKeyBody } from '../../../src/auth/dto/api-key.dto.js';
import {
  type ApiKeyQuery,
  ApiKeyService,
  type AttemptQuery,
  EventService,
  type NewApiKey,
  type NotificationQuery,
  NotificationService,
  NotifierService,
  Problem,
  type RecoveryQuery,
  type RecoveryRequest,
  type SecretRotation,
  type TriggerQuery,
  TriggerService,
  WebhookModule,
  type WebhookQuery,
  WebhookRecovery,
  WebhookSecrets,
  WebhookService,
} from '../../../src/index.js';
import { notificationListQuery } from '../../../src/notification/dto/notification-query.js';
import { camelCase } from '../../../src/rest/camel.js';
import { attemptListQuery, triggerListQuery } from '../../../src/trigger/dto/trigger-query.js';
import { rotateSecretBody } from '../../../src/webhook/dto/secret.dto.js';
import { webhookListQuery } from '../../../src/webhook/dto/webhook-body.js';
import { recoverBody, recoveryListQuery } from '../../../src/webhook/recovery/dto/recovery.dto.js';
import { NO_ID } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { HOST_KEYS } from '../../support/host.js';
import { useHost } from '../use-host.js';

const USER = 'ada';
const TIME = '2026-11-21T10:15:30.123Z';
const page = { limit: 1, cursor: 'x' };
const webhook = { name: 'w', url: 'http://127.0.0.1:49151/' };
const TOO_LONG = 7 * 24 * 60 * 60 + 1;

/** The REST API's body or query of a call, and an input of the service that gives every field. */
const INPUTS: [string, { shape: object }, object][] = [
  [
    'WebhookService.list',
    webhookListQuery,
    { ...page, userId: USER, enabled: true, name: 'w', eventKind: 'K' } satisfies Required<WebhookQuery>,
  ],
  [
    'TriggerService.list',
    triggerListQuery,
    {
      ...page,
      userId: USER,
      webhookId: NO_ID,
      eventId: NO_ID,
      eventKind: 'K',
      status: 'FAILED',
      notificationId: NO_ID,
      since: TIME,
      until: TIME,
      include: 'data',
    } satisfies Required<TriggerQuery>,
  ],
  [
    'NotificationService.list',
    notificationListQuery,
    {
      ...page,
      userId: USER,
      eventKind: 'K',
      recordId: 'r',
      since: TIME,
      until: TIME,
    } satisfies Required<NotificationQuery>,
  ],
  [
    'TriggerService.attempts',
    attemptListQuery,
    { ...page, triggerId: NO_ID } satisfies Required<AttemptQuery>,
  ],
  [
    'WebhookSecrets.rotate',
    rotateSecretBody,
    { id: NO_ID, overlapSeconds: 0, secret: 's' } satisfies Required<SecretRotation>,
  ],
  [
    'WebhookRecovery.recover',
    recoverBody,
    {
      id: NO_ID,
      since: TIME,
      until: TIME,
      missed: true,
      perSecond: 1,
      dryRun: true,
    } satisfies Required<RecoveryRequest>,
  ],
  [
    'WebhookRecovery.list',
    recoveryListQuery,
    { ...page, webhookId: NO_ID } satisfies Required<RecoveryQuery>,
  ],
  [
    'ApiKeyService.create',
    createApiKeyBody,
    { userId: USER, scopes: [], name: 'k' } satisfies Required<NewApiKey>,
  ],
  ['ApiKeyService.list', apiKeyListQuery, { ...page, userId: USER } satisfies Required<ApiKeyQuery>],
];

it.each(INPUTS)('%s takes the fields of the REST API in camelCase', (_, body, input) => {
  expect(Object.keys(input).sort()).toEqual(Object.keys(body.shape).map(camelCase).sort());
});

describe.each(databases)('the input of a service, on $name', (kind) => {
  const host = useHost(kind, {
    adapter: 'Fastify',
    webhooks: WebhookModule.forRoot({ encryptionKeys: HOST_KEYS, egress: { allowPrivateNetwork: true } }),
  });
  const get = <T>(token: new (...all: never[]) => T) => host.app.get<T>(token, { strict: false });
  let id: string;

  beforeAll(async () => {
    ({ id } = await get(WebhookService).create(USER, webhook));
  });

  /** Calls with input that the compiler would refuse, and the fields that the problem names. */
  const webhooks = () => get(WebhookService);
  const triggers = () => get(TriggerService);
  const wrong: [string, (input: never) => Promise<unknown>, unknown, string[]][] = [
    ['a limit of 0', (query) => webhooks().list(USER, query), { limit: 0 }, ['/limit']],
    ['a limit of 101', (query) => triggers().list(USER, query), { limit: 101 }, ['/limit']],
    ['a limit that is a text', (query) => triggers().list(USER, query), { limit: '10' }, ['/limit']],
    ['a limit that is NaN', (query) => get(ApiKeyService).list(query), { limit: Number.NaN }, ['/limit']],
    ['a cursor of its own', (query) => webhooks().list(USER, query), { cursor: 'x' }, ['?cursor']],
    [
      'a filter in snake case',
      (query) => triggers().list(USER, query),
      { webhook_id: NO_ID },
      ['/webhook_id'],
    ],
    ['a flag that is a text', (query) => webhooks().list(USER, query), { enabled: 'true' }, ['/enabled']],
    ['an unknown status', (query) => triggers().list(USER, query), { status: 'DONE' }, ['/status']],
    ['a number for a time', (query) => triggers().list(USER, query), { since: 1 }, ['/since']],
    ['a Date for a time', (query) => triggers().list(USER, query), { until: new Date() }, ['/until']],
    [
      'a day that does not exist',
      (query) => triggers().list(USER, query),
      { since: '2026-02-30T00:00:00Z' },
      ['/since'],
    ],
    [
      'a kind in lower case',
      (query) => get(NotificationService).list(USER, query),
      { eventKind: 'record_finished' },
      ['/eventKind'],
    ],
    ['no trigger', (query) => triggers().attempts(USER, query), {}, ['/triggerId']],
    [
      'a number for a span',
      (body) => get(WebhookRecovery).recover(USER, body),
      { id: NO_ID, since: 0 },
      ['/since'],
    ],
    [
      'a span that ends before it begins',
      (body) => get(WebhookRecovery).recover(USER, body),
      { id: NO_ID, since: TIME, until: '2000-01-01T00:00:00Z' },
      ['/since'],
    ],
    [
      'a pace of 0',
      (body) => get(WebhookRecovery).recover(USER, body),
      { id: NO_ID, since: TIME, perSecond: 0 },
      ['/perSecond'],
    ],
    [
      'an endless overlap',
      (body) => get(WebhookSecrets).rotate(USER, body),
      { id: NO_ID, overlapSeconds: TOO_LONG },
      ['/overlapSeconds'],
    ],
    [
      'an overlap of NaN',
      (body) => get(WebhookSecrets).rotate(USER, body),
      { id: NO_ID, overlapSeconds: Number.NaN },
      ['/overlapSeconds'],
    ],
    [
      'a weak secret',
      (body) => get(WebhookSecrets).rotate(USER, body),
      { id: NO_ID, secret: 'whsec_YQ==' },
      ['/secret'],
    ],
    ['the old arguments', (body) => get(WebhookSecrets).rotate(USER, body), NO_ID, ['']],
    [
      'an unknown kind',
      (body) => get(EventService).create(USER, body),
      { webhookId: NO_ID, kind: 'X' },
      ['/kind'],
    ],
    [
      'no webhook for an event',
      (body) => get(EventService).create(USER, body),
      { kind: 'RECORD_FINISHED' },
      ['/webhookId'],
    ],
    ['no state for an event', (body) => get(EventService).update(USER, body), { id: NO_ID }, ['/enabled']],
    [
      'an unknown kind to test',
      (body) => get(NotifierService).test(USER, body),
      { id: NO_ID, eventKind: 'X' },
      ['/eventKind'],
    ],
    ['no webhook to test', (body) => get(NotifierService).test(USER, body), {}, ['/id']],
    ['no scope', (body) => get(ApiKeyService).create(body), { userId: USER, scopes: [] }, ['/scopes']],
    [
      'an unknown scope',
      (body) => get(ApiKeyService).create(body),
      { userId: USER, scopes: ['root'] },
      ['/scopes/0'],
    ],
    ['a user with a blank behind', (user) => webhooks().create(user, webhook), 'ada ', ['/userId']],
    ['an empty user', (user) => webhooks().create(user, webhook), '', ['/userId']],
    [
      'an owner among the fields',
      (body) => webhooks().create(USER, body),
      { ...webhook, user_id: 'eve' },
      ['/user_id'],
    ],
  ];

  it.each(wrong)('is refused, naming the field, for %s', async (_, call, input, pointers) => {
    const problem = await call(input as never).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ status: 400, errors: pointers.map((pointer) => ({ pointer })) });
  });

  it('shows a check the webhook as it was, and nothing sealed', async () => {
    const found = await webhooks().find(USER, id);
    const refuse = (before: object) => {
      expect(before).toEqual(found);
      throw new Error('changed meanwhile');
    };
    await expect(webhooks().update(USER, { id, name: 'new' }, refuse)).rejects.toThrow('changed meanwhile');
    expect(await webhooks().find(USER, id)).toEqual(found);
  });
});
