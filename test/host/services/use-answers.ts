import { beforeAll, beforeEach, expect } from '@jest/globals';
import { DataSource } from 'typeorm';
import {
  ApiKeyService,
  type CreatedWebhook,
  NotifierService,
  TriggerService,
  WebhookService,
} from '../../../src/index.js';
import { ownQuery } from '../../../src/store/own-manager.js';
import type { TestDatabaseKind } from '../../support/databases.js';
import { useReceiver } from '../../support/fixture.js';
import { newUser, record } from '../../support/scene.js';
import { type Answer } from '../../support/service.js';
import { until } from '../../support/until.js';
import { giveNoConnection } from '../ambient.js';
import { webhookModule } from '../application.js';
import { useHost } from '../use-host.js';

const CREDENTIAL = 'Bearer credential-5d0c';

/** The columns that hold sealed values or hashes. */
const SEALED = {
  webhook: 'sealed_headers, sealed_authentication, sealed_tls, sealed_secret, sealed_previous_secrets',
  webhook_request_head: 'sealed_head',
  webhook_api_key: 'hash',
};
const INTERNAL =
  /"(row|hash|lease\w*|generation|failing\w*|disabledEventPending\w*|sealed\w*|requestHead)":/i;

type Json = unknown;

/** Names under which users keep names of their own. */
const USERS_OWN = ['headers', 'body'];

/** A service gives the body sent, and a record, as their text. */
const parsed = (name: string, value: Json) =>
  /^(body|data)$/.test(name) && typeof value === 'string' && value.startsWith('{')
    ? JSON.parse(value)
    : value;

function mapped(value: Json, nameOf: (name: string) => string): Json {
  if (Array.isArray(value)) return value.map((item) => mapped(item, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [
    nameOf(name),
    USERS_OWN.includes(name) || typeof item === 'string' ? parsed(name, item) : mapped(item, nameOf),
  ]);
  return Object.fromEntries(entries);
}

const camelised = (value: Json) =>
  mapped(value, (name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));

/** Replaces what differs between two objects that were made alike. */
function withoutIdentity(value: Json): Json {
  const text = JSON.stringify(value)
    .replace(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"an id"')
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]{12}Z"/g, '"a time"')
    .replace(/"(whsec|whk)_[^"]+"/g, '"a secret"')
    .replace(/"(PENDING|DELIVERING)"/g, '"under way"')
    .replace(/"phases":\{[^}]*\}/g, '"phases":{}')
    .replace(/"durationMs":\d+/g, '"durationMs":1')
    .replace(/"(date|webhook-signature|webhook-timestamp)":"[^"]+"/g, '"$1":"of its time"')
    .replace(/"nextAttemptAt":(null|"a time")/g, '"nextAttemptAt":"a time or null"');
  return JSON.parse(text);
}

/** One application whose users are asked about over REST and through its services. Each test has a user of its own. */
export function useAnswers(kind: TestDatabaseKind) {
  const receiver = useReceiver();
  const host = useHost(kind, {
    webhooks: webhookModule({ delivery: { retryScheduleMs: [0] }, rateLimitPerMinute: 0 }),
  });
  const { get } = host;
  /** What services answered so far. */
  const answers: object[] = [];
  let key: string;
  let user: string;

  beforeAll(async () => {
    ({ key } = await get(ApiKeyService).create({ userId: 'root', scopes: ['admin'] }));
    giveNoConnection(get(DataSource));
  });
  beforeEach(() => {
    user = newUser();
    receiver.respondWith({ status: 200, headers: { 'X-Seen': 'yes' }, body: 'thanks' });
  });

  const scene = {
    receiver,
    get,
    get user() {
      return user;
    },
    get webhooks() {
      return get(WebhookService);
    },
    get triggers() {
      return get(TriggerService);
    },
    /** A call of the REST API as an admin, which has to succeed. */
    async call(method: string, path: string, body?: object, raw?: string): Promise<Answer> {
      const answer = await host.call(method, path, body, { key, ...(raw ? { raw } : {}) });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
      return answer;
    },
    async rest(method: string, path: string, body?: object) {
      return (await scene.call(method, path, body)).body;
    },
    /** The fields of a webhook with credentials. */
    fields: () => ({
      name: 'w',
      url: `${receiver.url}/${user}`,
      headers: { 'X-Team_Name': 'risk', Authorization: CREDENTIAL },
      events: ['RECORD_FINISHED' as const],
    }),
    create: (): Promise<CreatedWebhook> => get(WebhookService).create(user, scene.fields()),
    /** Notifies, and waits for the end of the delivery. @returns the trigger's id. */
    async delivered(): Promise<string> {
      const accepted = await get(NotifierService).notify('record.finished', { user_id: user, record });
      const id = accepted.triggers[0]?.id ?? '';
      await until(async () => (await scene.triggers.find(user, id)).end);
      return id;
    },
    /** Expects the REST API and a service to answer the same about one object. */
    async same<Answer extends object>(
      rest: Json,
      answer: Promise<Answer> | Answer,
      seen = (value: Json) => value,
    ) {
      const [byRest, byService] = [await rest, await answer];
      answers.push(byService);
      expect(seen(mapped(byService, (name) => name))).toEqual(seen(camelised(byRest)));
      return byService;
    },
    /** The same about two objects that were made alike: their ids, times and secrets differ. */
    alike: <Answer extends object>(rest: Json, answer: Promise<Answer> | Answer) =>
      scene.same(rest, answer, withoutIdentity),
    /** Expects the answers so far to be plain objects without anything that stays inside. */
    async expectNothingInternal(): Promise<void> {
      expect(answers.length).toBeGreaterThan(19);
      const text = JSON.stringify(answers);
      expect(text).not.toContain(CREDENTIAL);
      expect(text).not.toMatch(INTERNAL);
      for (const value of await stored()) expect(text).not.toContain(JSON.stringify(value).slice(1, -1));
      for (const answer of answers) expectPlain(answer);
    },
  };

  /** All sealed values and hashes in the database. */
  async function stored(): Promise<string[]> {
    const rows: Record<string, string | null>[] = [];
    for (const [table, columns] of Object.entries(SEALED)) {
      rows.push(...(await ownQuery<typeof rows>(get(DataSource), `SELECT ${columns} FROM ${table}`)));
    }
    const values = rows.flatMap((row) => Object.values(row)).filter((value) => value !== null);
    expect(values.length).toBeGreaterThan(5);
    return values;
  }
  return scene;
}

function expectPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  for (const item of Object.values(value)) expectPlain(item);
}
