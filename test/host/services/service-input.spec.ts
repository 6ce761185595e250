import { describe, expect, it } from '@jest/globals';
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
import { type HostFixture, useHost } from '../use-host.js';

const USER = 'ada';
const TIME = '2026-11-21T10:15:30.123Z';
const page = { limit: 1, cursor: 'x' };
const webhook = { name: 'w', url: 'http://127.0.0.1:31151/' };

/** An input that gives every field, for the compiler. */
const all = <Input>(input: Required<Input>): Required<Input> => input;
const span = { since: TIME, until: TIME };
const ofUser = { ...page, userId: USER };
const ofTrigger = { webhookId: NO_ID, eventId: NO_ID, notificationId: NO_ID, status: 'FAILED' as const };

/** The REST API's body or query of a call, and an input of the service. */
const INPUTS: [call: string, body: { shape: object }, input: object][] = [
  [
    'WebhookService.list',
    webhookListQuery,
    all<WebhookQuery>({ ...ofUser, enabled: true, name: 'w', eventKind: 'K' }),
  ],
  [
    'TriggerService.list',
    triggerListQuery,
    all<TriggerQuery>({ ...ofUser, ...span, ...ofTrigger, eventKind: 'K', include: 'data' }),
  ],
  [
    'NotificationService.list',
    notificationListQuery,
    all<NotificationQuery>({ ...ofUser, ...span, eventKind: 'K', recordId: 'r' }),
  ],
  ['TriggerService.attempts', attemptListQuery, all<AttemptQuery>({ ...page, triggerId: NO_ID })],
  [
    'WebhookSecrets.rotate',
    rotateSecretBody,
    all<SecretRotation>({ id: NO_ID, overlapSeconds: 0, secret: 's' }),
  ],
  [
    'WebhookRecovery.recover',
    recoverBody,
    all<RecoveryRequest>({ ...span, id: NO_ID, missed: true, perSecond: 1, dryRun: true }),
  ],
  ['WebhookRecovery.list', recoveryListQuery, all<RecoveryQuery>({ ...page, webhookId: NO_ID })],
  ['ApiKeyService.create', createApiKeyBody, all<NewApiKey>({ userId: USER, scopes: [], name: 'k' })],
  ['ApiKeyService.list', apiKeyListQuery, all<ApiKeyQuery>(ofUser)],
];

it.each(INPUTS)('%s takes the fields of the REST API in camelCase', (_, body, input) => {
  expect(Object.keys(input).sort()).toEqual(Object.keys(body.shape).map(camelCase).sort());
});

/** Calls with input that the compiler would refuse. */
const CALLS = {
  webhooks: (get, input) => get(WebhookService).list(USER, input),
  create: (get, input) => get(WebhookService).create(USER, input),
  createFor: (get, user) => get(WebhookService).create(user, webhook),
  triggers: (get, input) => get(TriggerService).list(USER, input),
  attempts: (get, input) => get(TriggerService).attempts(USER, input),
  notifications: (get, input) => get(NotificationService).list(USER, input),
  recover: (get, input) =>
    get(WebhookRecovery).recover(USER, { id: NO_ID, since: TIME, ...(input as object) }),
  rotate: (get, input) => get(WebhookSecrets).rotate(USER, input),
  createEvent: (get, input) => get(EventService).create(USER, input),
  updateEvent: (get, input) => get(EventService).update(USER, input),
  test: (get, input) => get(NotifierService).test(USER, input),
  keys: (get, input) => get(ApiKeyService).list(input),
  createKey: (get, input) => get(ApiKeyService).create(input),
} satisfies Record<string, (get: HostFixture['get'], input: never) => Promise<unknown>>;

/** The rules of the fields are the REST API's, whose tests try them. */
const WRONG: [what: string, call: keyof typeof CALLS, input: unknown, pointer: string][] = [
  ['a limit of 0', 'webhooks', { limit: 0 }, '/limit'],
  ['a limit of 101', 'triggers', { limit: 101 }, '/limit'],
  ['a limit that is a text', 'triggers', { limit: '10' }, '/limit'],
  ['a limit that is NaN', 'keys', { limit: Number.NaN }, '/limit'],
  ['a filter in snake case', 'triggers', { webhook_id: NO_ID }, '/webhook_id'],
  ['a flag that is a text', 'webhooks', { enabled: 'true' }, '/enabled'],
  ['a number for a time', 'triggers', { since: 1 }, '/since'],
  ['a Date for a time', 'triggers', { until: new Date() }, '/until'],
  ['a kind in lower case', 'notifications', { eventKind: 'record_finished' }, '/eventKind'],
  ['no trigger', 'attempts', {}, '/triggerId'],
  ['a number for a span', 'recover', { since: 0 }, '/since'],
  ['an overlap of NaN', 'rotate', { id: NO_ID, overlapSeconds: Number.NaN }, '/overlapSeconds'],
  ['the old arguments', 'rotate', NO_ID, ''],
  ['an unknown kind', 'createEvent', { webhookId: NO_ID, kind: 'X' }, '/kind'],
  ['no state for an event', 'updateEvent', { id: NO_ID }, '/enabled'],
  ['an unknown kind to test', 'test', { id: NO_ID, eventKind: 'X' }, '/eventKind'],
  ['no webhook to test', 'test', {}, '/id'],
  ['an unknown scope', 'createKey', { userId: USER, scopes: ['root'] }, '/scopes/0'],
  ['a user with a blank behind', 'createFor', 'ada ', '/userId'],
  ['an owner among the fields', 'create', { ...webhook, user_id: 'eve' }, '/user_id'],
];

describe.each(databases)('the input of a service, on $name', (kind) => {
  const host = useHost(kind);

  it.each(WRONG)('is refused, naming the field, for %s', async (_, call, input, pointer) => {
    const problem = await CALLS[call](host.get, input as never).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ status: 400, errors: [{ pointer }] });
  });

  it('shows a check the webhook as it was, and nothing sealed', async () => {
    const webhooks = host.get(WebhookService);
    const { id } = await webhooks.create(USER, webhook);
    const found = await webhooks.find(USER, id);
    const { health: _, ...stored } = found;
    const refuse = (before: object) => {
      expect(before).toEqual(stored);
      throw new Error('changed meanwhile');
    };
    await expect(webhooks.update(USER, { id, name: 'new' }, refuse)).rejects.toThrow('changed meanwhile');
    expect(await webhooks.find(USER, id)).toEqual(found);
  });
});
