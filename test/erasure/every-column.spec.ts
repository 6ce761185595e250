import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { ATTEMPT_FIELDS, AttemptEntity } from '../../src/store/tables/trigger/attempt.entity.js';
import { withoutAnswer } from '../../src/store/tables/trigger/attempt-content.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { newUser, trigger } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

/** They hold numbers, ids and codes of ours, and nothing else. */
const OURS = ['triggerId', 'number', 'beginAt', 'endAt', 'phases', 'errorCode', 'cause'];

describe.each(databases)('what an attempt holds of a record, on $name,', (kind) => {
  const service = useService(kind, {}, 'test');
  const receiver = useReceiver('test');

  it('is erased in every column, also in those that a later version adds, unless they say that they hold nothing of it', async () => {
    const user = newUser();
    receiver.respondWith([{ status: 500 }]);
    await createWebhook(service, { user_id: user, url: receiver.url });
    const id = await trigger(service, user);
    const attempts = service.get(DataSource).getRepository(AttemptEntity);
    await until(async () => (await attempts.countBy({ triggerId: id })) === 1);
    const others = ATTEMPT_FIELDS.filter(([property]) => !OURS.includes(property));
    for (const [property] of others) await attempts.update({ triggerId: id }, { [property]: 'a needle' });
    expect(others.length).toBeGreaterThan(5);
    const { status } = await service.call('DELETE', `/v1/notification?user_id=${user}&record_id=rec_1`);
    expect(status).toBe(200);
    const [row] = await attempts.findBy({ triggerId: id });
    expect(JSON.stringify(row)).not.toContain('needle');
    expect(row).toMatchObject({ errorCode: 'http_status', errorMessage: 'The details were erased.' });
  });
});

describe('an attempt that a database refuses', () => {
  it('is kept without anything that the receiver may have said', () => {
    const needles = (properties: string[]) =>
      Object.fromEntries(properties.map((property) => [property, 'a needle']));
    const full = needles(ATTEMPT_FIELDS.map(([property]) => property)) as unknown as AttemptEntity;
    expect(withoutAnswer(full)).toEqual({
      ...needles([...OURS, 'requestHead', 'request']),
      response: null,
      responseBody: null,
      errorMessage: 'The details could not be stored.',
      errorDetail: null,
    });
  });
});
