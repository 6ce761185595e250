import { beforeAll, beforeEach, expect } from '@jest/globals';
import { DataSource } from 'typeorm';
import {
  ApiKeyService,
  type CreatedWebhook,
  NotifierService,
  TriggerService,
  WebhookService,
} from '../../../src/index.js';
import type { TestDatabaseKind } from '../../support/databases.js';
import { useReceiver } from '../../support/fixture.js';
import { newUser, record } from '../../support/scene.js';
import { type Answer } from '../../support/service.js';
import { until } from '../../support/until.js';
import { webhookModule } from '../application.js';
import { useHost } from '../use-host.js';
import { Answers } from './same-answer.js';

const CREDENTIAL = 'Bearer credential-5d0c';

/** The columns that hold sealed values or hashes. */
const SEALED = {
  webhook: 'sealed_headers, sealed_authentication, sealed_tls, sealed_secret, sealed_previous_secrets',
  webhook_request_head: 'sealed_head',
  webhook_api_key: 'hash',
};
const INTERNAL =
  /"(row|hash|lease\w*|generation|failing\w*|disabledEventPending\w*|sealed\w*|requestHead)":/i;

/** One application whose users are asked about over REST and through its services. Each test has a user of its own. */
export function useAnswers(kind: TestDatabaseKind) {
  const receiver = useReceiver();
  const host = useHost(kind, {
    webhooks: webhookModule({ delivery: { retryScheduleMs: [0] }, rateLimitPerMinute: 0 }),
  });
  const { get } = host;
  const answers = new Answers();
  let key: string;
  let user: string;

  beforeAll(async () => {
    ({ key } = await get(ApiKeyService).create({ userId: 'root', scopes: ['admin'] }));
  });
  beforeEach(() => {
    user = newUser();
    receiver.respondWith({ status: 200, headers: { 'X-Seen': 'yes' }, body: 'thanks' });
  });

  const scene = {
    answers,
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
    /** Expects the answers so far to be plain objects without anything that stays inside. */
    async expectNothingInternal(): Promise<void> {
      const text = JSON.stringify(answers.all);
      expect(text).not.toContain(CREDENTIAL);
      expect(text).not.toMatch(INTERNAL);
      for (const value of await stored()) expect(text).not.toContain(JSON.stringify(value).slice(1, -1));
      for (const answer of answers.all) expectPlain(answer);
    },
  };

  /** All sealed values and hashes in the database. */
  async function stored(): Promise<string[]> {
    const rows: Record<string, string | null>[] = [];
    for (const [table, columns] of Object.entries(SEALED)) {
      rows.push(...(await get(DataSource).query(`SELECT ${columns} FROM ${table}`)));
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
