import { beforeAll, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { nounOf, type Operation, operations } from '../support/operations.js';
import { finished, type Json, newUser, notify, record, trigger } from '../support/scene.js';
import { StreamReader } from '../support/stream.js';
import { createWebhook } from '../support/webhook.js';

/** Operations that take no object id and so cannot reach another user's objects. */
const WITHOUT_IDS = [
  'listEventKinds',
  'createApiKey',
  'listApiKeys',
  'notify',
  'testFilter',
  'putWebhook',
  'findCaller',
];
/** What anybody may call, to become known. */
const PUBLIC = ['openSession', 'leaveSession'];
const ALL_BUT_ADMIN = ['webhooks:read', 'webhooks:write', 'notifications:write'] as const;
const NAMES_OBJECT = /^ids?$|_id$/;
/** Ids assigned by others, which name no object of the service. */
const NO_OBJECT = ['user_id', 'analysis_id', 'record_id'];

const isObjectId = (name: string) => NAMES_OBJECT.test(name) && !NO_OBJECT.includes(name);
const objectIdsOf = (fields: object) => Object.keys(fields).filter(isObjectId);

/** The number of alternative bodies that contain an object id. */
const alternativesWithIds = ({ body }: Operation) =>
  (body?.oneOf ?? [body]).filter((one) => objectIdsOf(one?.properties ?? {}).length > 0).length;

describe.each(databases)("another user's objects on $name", (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  let otherKey: string;
  let owned: Record<string, string>;
  let user: string;

  beforeAll(async () => {
    user = newUser();
    otherKey = await service.keyFor(newUser(), ...ALL_BUT_ADMIN);
    const webhook = await createWebhook(service, { user_id: user, events: ['RECORD_FINISHED'] });
    const triggerId = await trigger(service, user);
    const other = await createWebhook(service, { user_id: user, events: [] });
    const { data } = (await service.call('GET', '/v1/api-key/list?limit=1')).body;
    await service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: false });
    const { notification_id } = await finished(service, triggerId);
    const recovery = await service.call('POST', '/v1/webhook/recover', {
      id: other.id,
      since: '2020-01-01T00:00:00Z',
    });
    owned = {
      webhook_id: webhook.id,
      event_id: webhook.events[0].id,
      trigger_id: triggerId,
      notification_id,
      api_key_id: data[0].id,
      record_id: 'rec_1',
      recovery_id: recovery.body.id,
      user_id: user,
    };
  });

  /** The id of the first user's object that this property refers to at this path. */
  function ownId(path: string, property: string, isInBody = false): string {
    // The body names the webhook to recover, a query the recovery.
    if (path.endsWith('/recover') && property === 'id')
      return owned[isInBody ? 'webhook_id' : 'recovery_id'] as string;
    const id = owned[property === 'id' ? `${nounOf(path)?.replace('-', '_')}_id` : property];
    if (!id) throw new Error(`The test has no object for "${property}" of ${path}: give it one.`);
    return id;
  }

  it('every operation but the login needs a key', async () => {
    const answers = await Promise.all(
      operations.map(({ method, path }) => service.call(method, path, undefined, { key: null })),
    );
    expect(answers.length).toBeGreaterThan(15);
    const open = operations.filter((_, n) => answers[n]?.status !== 401);
    expect(open.map(({ name }) => name)).toEqual(PUBLIC);
  });

  /** What a call with this parameter must have, too. */
  function neededBeside(operation: Operation, parameter: string): Record<string, string> {
    if (operation.name === 'findWebhook' && parameter === 'user_id') return { uid: 'crm' };
    const isOfRecord = operation.query.some(({ name, required }) => name === 'record_id' && required);
    return isOfRecord ? { record_id: record.id } : {};
  }

  /** What a stream brings the other user while something happens to the first one's objects, as a list of it. */
  async function streamed(path: string, suffix: string) {
    const all = await StreamReader.open(service.url + path);
    const found = await StreamReader.open(service.url + path + suffix, { key: otherKey });
    const { body } = await notify(service, user);
    await service.call('POST', '/v1/webhook/trigger/retry', { id: owned.trigger_id });
    const isOwned = ({ id }: Json) => [body.id, owned.trigger_id].includes(id);
    await all.when(isOwned);
    for (const stream of [all, found]) stream.close();
    return { status: 200, body: { data: found.events } };
  }

  it('are not found by any operation that names them', async () => {
    const call = async (operation: Operation, query: Record<string, string>, body?: Json) => {
      const { method, path, name } = operation;
      const suffix = Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : '';
      const answer = path.endsWith('/stream')
        ? await streamed(path, suffix)
        : await service.call(method, path + suffix, body, { key: otherKey });
      return { name, query, body, status: answer.status, answer };
    };
    const uncovered: string[] = [];
    for (const operation of operations.filter(({ name }) => !PUBLIC.includes(name))) {
      const { name, path } = operation;
      const refusal = operation.scope === 'admin' ? 403 : 404;
      // Filtering by another user's object finds nothing, which is not an error; naming it by `id` is one.
      const queries = operation.query.filter((one) =>
        one.required ? isObjectId(one.name) : NAMES_OBJECT.test(one.name),
      );
      for (const { name: parameter, required } of queries) {
        const query = { ...neededBeside(operation, parameter), [parameter]: ownId(path, parameter) };
        const found = await call(operation, query);
        if (required || parameter === 'id' || refusal === 403)
          expect(found).toMatchObject({ name, status: refusal });
        else if (['findWebhook', 'eraseRecord'].includes(name))
          expect(found).toMatchObject({ name, status: 403 });
        else if (name === 'findStatistics') expect(found.answer.body.total.attempts).toBe(0);
        else expect(found).toMatchObject({ name, status: 200, answer: { body: { data: [] } } });
      }
      const bodies = operation.examples.filter((body) => objectIdsOf(body).length > 0);
      for (const body of bodies) {
        const own = (property: string) =>
          property === 'ids' ? [ownId(path, 'id', true)] : ownId(path, property, true);
        const named = Object.fromEntries(objectIdsOf(body).map((property) => [property, own(property)]));
        const sent = await call(operation, {}, { ...body, ...named });
        // An operation on many objects leaves those of others out.
        if (named.ids)
          expect(sent.answer.body).toMatchObject({ triggers: 0, skipped: [{ code: 'not_found' }] });
        else expect(sent).toMatchObject({ name, status: refusal });
      }
      const isCalled = queries.length + bodies.length > 0 || WITHOUT_IDS.includes(name);
      if (!isCalled || bodies.length < alternativesWithIds(operation)) uncovered.push(name);
    }
    expect(uncovered).toEqual([]);
  });

  it('are unchanged after all those calls', async () => {
    const found = await service.call('GET', `/v1/webhook?id=${owned.webhook_id}`);
    expect(found).toMatchObject({ status: 200, body: { events: [{ id: owned.event_id, enabled: true }] } });
    expect(await finished(service, owned.trigger_id as string)).toMatchObject({ status: 'CANCELLED' });
    expect(await notify(service, user)).toMatchObject({ status: 202, body: { triggers: [] } });
  });
});
