import { beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../src/store/database.js';
import { expectProblem, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { linkedPages } from '../support/linked-pages.js';
import { newUser, trigger } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const LIST = '/v1/webhook/trigger/attempt/list';
const ATTEMPTS = 150;
/** 16 KiB, the most that is kept of a response. */
const RESPONSE = 'é'.repeat(8 * 1024);

describe.each(databases)('the attempts of a trigger on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });
  const user = newUser();
  let key: string;
  let triggerId: string;

  beforeAll(async () => {
    key = await service.keyFor(user, 'webhooks:read');
    await createWebhook(service, { user_id: user, events: ['RECORD_FINISHED'] });
    triggerId = await trigger(service, user);
    await store(triggerId);
  });

  /** Stores the attempts that many manual retries would leave. */
  async function store(id: string): Promise<void> {
    const response = JSON.stringify({ status: 500, headers: {} });
    const begin = Date.UTC(2026, 10, 21, 10, 15, 30);
    const error = ['http_status', 'The receiver answered 500.'];
    const rows = Array.from({ length: ATTEMPTS }, (_, index) => [
      ...[id, index + 1, begin + index, begin + index + 12, '{"headers":11}', response, RESPONSE, ...error],
    ]);
    const columns =
      'trigger_id number begin_at end_at phases response response_body error_code error_message'.split(' ');
    await service.get(Database).writeTogether([{ table: 'webhook_attempt', columns, rows }]);
    await service.query('UPDATE webhook_trigger SET attempt_count = ? WHERE id = ?', [ATTEMPTS, id]);
  }

  const list = (query: string, asKey = key) => service.call('GET', LIST + query, undefined, { key: asKey });
  const numbers = (attempts: { number: number }[]) => attempts.map(({ number }) => number);
  /** The numbers from first to last, ascending or descending. */
  const range = (first: number, last: number) =>
    Array.from({ length: Math.abs(last - first) + 1 }, (_, index) =>
      first < last ? first + index : first - index,
    );

  it('are shown with the trigger: the newest 20, in order', async () => {
    const { body } = await service.call('GET', `/v1/webhook/trigger?id=${triggerId}`, undefined, { key });
    expect(body.attempt_count).toBe(ATTEMPTS);
    expect(numbers(body.attempts)).toEqual(range(ATTEMPTS - 19, ATTEMPTS));
    expect(body.response_data).toEqual(body.attempts.at(-1).response_data);
  });

  it('are listed newest first, 20 by default', async () => {
    const { status, body } = await list(`?trigger_id=${triggerId}`);
    expect(status).toBe(200);
    expect(numbers(body.data)).toEqual(range(ATTEMPTS, ATTEMPTS - 19));
    expect(body.data[0]).toEqual({
      number: ATTEMPTS,
      begin: '2026-11-21T10:15:30.149Z',
      end: '2026-11-21T10:15:30.161Z',
      duration_ms: 12,
      phases: { headers: 11 },
      response_data: { status: 500, headers: {}, body: RESPONSE, truncated: false, duration_ms: 12 },
      error: { code: 'http_status', message: 'The receiver answered 500.' },
      cause: 'schedule',
      diagnosis: { summary: 'The receiver answered 500: it failed.', advice: expect.any(String) },
    });
  });

  it('are paged, with at most 1 MiB of responses per page', async () => {
    const pages = await linkedPages(service, `${LIST}?trigger_id=${triggerId}&limit=100`, key);
    for (const { text, body } of pages) {
      expect(Buffer.byteLength(text)).toBeLessThan(1.1 * 1024 * 1024);
      expect(body.data.length).toBeGreaterThan(20);
    }
    expect(numbers(pages.flatMap(({ body }) => body.data))).toEqual(range(ATTEMPTS, 1));
  });

  it("are not found if the trigger is not the caller's", async () => {
    const other = await service.keyFor(newUser(), 'webhooks:read');
    expectProblem(await list(`?trigger_id=${triggerId}`, other), 404, 'not_found');
    expectProblem(await list(`?trigger_id=${NO_ID}`), 404, 'not_found');
  });

  it.each([
    ['', '?trigger_id'],
    ['trigger_id=x', '?trigger_id'],
    [`trigger_id=${NO_ID}&limit=0`, '?limit'],
    [`trigger_id=${NO_ID}&foo=1`, '?foo'],
  ])('are refused for "%s"', async (query, pointer) => {
    expectProblem(await list(`?${query}`), 400, 'validation_failed', [pointer]);
  });

  it('are none before the first attempt, and take no cursors of another trigger', async () => {
    const { next_cursor } = (await list(`?trigger_id=${triggerId}`)).body;
    const other = await trigger(service, user);
    expect((await list(`?trigger_id=${other}`)).body).toEqual({ data: [], next_cursor: null });
    const answer = await list(`?trigger_id=${other}&cursor=${next_cursor}`);
    expectProblem(answer, 400, 'invalid_cursor', ['?cursor']);
  });
});
