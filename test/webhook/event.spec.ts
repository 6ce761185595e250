import { describe, expect, it } from '@jest/globals';
import { expectProblem, ID, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('events on $name', (kind) => {
  const service = useService(kind);

  const post = (body: object) => service.call('POST', '/v1/webhook/event', body);
  const patch = (body: object) => service.call('PATCH', '/v1/webhook/event', body);
  const eventsOf = async (id: string) => (await service.call('GET', `/v1/webhook?id=${id}`)).body.events;

  describe('create', () => {
    it.each([
      { kind: 'RECORD_FINISHED' },
      { event_kind: 'RECORD_FINISHED' },
      { kind: 'RECORD_FINISHED', event_kind: 'RECORD_FINISHED' },
      { kind: 'RECORD_FINISHED', enabled: false },
    ])('by %j', async (names) => {
      const { id } = await createWebhook(service, { events: [] });
      const answer = await post({ webhook_id: id, ...names });
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        id: expect.stringMatching(ID),
        enabled: names.enabled ?? true,
        kind: 'RECORD_FINISHED',
        filter: null,
        event_kind: 'RECORD_FINISHED',
        webhook_id: id,
      });
      expect(await eventsOf(id)).toEqual([answer.body]);
    });

    it.each<[object, string[]]>([
      [{ kind: 'RECORD_FINISHED', event_kind: 'STATUS_CHANGED' }, ['/event_kind']],
      [{}, ['/kind']],
      [{ kind: 'NO_SUCH_KIND' }, ['/kind']],
      [{ event_kind: 'WEBHOOK_TEST' }, ['/event_kind']],
      [{ kind: null, enabled: 'yes', unknown: 1 }, ['/kind', '/enabled', '/unknown']],
      [{ kind: 'RECORD_FINISHED', webhook_id: 'x' }, ['/webhook_id']],
    ])('refuses %j', async (fields, pointers) => {
      const { id } = await createWebhook(service, { events: [] });
      expectProblem(await post({ webhook_id: id, ...fields }), 400, 'validation_failed', pointers);
      expect(await eventsOf(id)).toEqual([]);
    });

    it('accepts each kind once per webhook', async () => {
      const { id } = await createWebhook(service, { events: ['STATUS_CHANGED'] });
      expectProblem(await post({ webhook_id: id, kind: 'STATUS_CHANGED' }), 409, 'event_already_exists');
      const racing = Array.from({ length: 8 }, () => post({ webhook_id: id, kind: 'RECORD_FINISHED' }));
      const answers = await Promise.all(racing);
      for (const answer of answers) {
        if (answer.status !== 201) expectProblem(answer, 409, 'event_already_exists');
      }
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(await eventsOf(id)).toHaveLength(2);
    });

    it('answers 404 without an existing webhook', async () => {
      const { id } = await createWebhook(service);
      await service.call('DELETE', `/v1/webhook?id=${id}`);
      for (const webhook_id of [NO_ID, id])
        expectProblem(await post({ webhook_id, kind: 'STATUS_CHANGED' }), 404, 'not_found');
    });

    it('answers 404 when the webhook is deleted at the same time', async () => {
      const race = async () => {
        const { id } = await createWebhook(service);
        const create = () => post({ webhook_id: id, kind: 'STATUS_CHANGED' });
        const remove = () => service.call('DELETE', `/v1/webhook?id=${id}`);
        const [first, removed, ...others] = await Promise.all([create(), remove(), create(), create()]);
        expect(removed.status).toBe(200);
        for (const answer of [first, ...others]) {
          if (answer.status === 409) expectProblem(answer, 409, 'event_already_exists');
          else if (answer.status !== 201) expectProblem(answer, 404, 'not_found');
        }
      };
      // One after another: a hundred writes that wait for each other could take longer than calls may.
      for (let times = 0; times < 20; times++) await race();
    });
  });

  describe('delete', () => {
    it.each([
      ['DELETE', (id: string) => service.call('DELETE', `/v1/webhook/event?id=${id}`)],
      ['POST', (id: string) => post({ id })],
    ])('by %s', async (_method, remove) => {
      const { id, events } = await createWebhook(service, { events: ['RECORD_FINISHED', 'STATUS_CHANGED'] });
      const [first, second] = events;
      expect(await remove(first.id)).toMatchObject({ status: 200, body: { id: first.id, deleted: true } });
      expect(await eventsOf(id)).toEqual([second]);
      expectProblem(await remove(first.id), 404, 'not_found');
      expect((await post({ webhook_id: id, kind: 'RECORD_FINISHED' })).status).toBe(201);
    });

    it('is refused as ambiguous with fields of a creation', async () => {
      const { id: webhook_id, events } = await createWebhook(service, { events: ['RECORD_FINISHED'] });
      const { id } = events[0];
      for (const field of [{ webhook_id }, { kind: 'STATUS_CHANGED' }, { enabled: true }])
        expectProblem(await post({ id, ...field }), 400, 'ambiguous_operation');
      expectProblem(await post({ id, unknown: 1 }), 400, 'validation_failed', ['/unknown']);
      expectProblem(await post({ id: 'x' }), 400, 'validation_failed', ['/id']);
      expect(await eventsOf(webhook_id)).toEqual(events);
    });

    it('happens when the webhook is deleted', async () => {
      const { id, events } = await createWebhook(service, { events: ['RECORD_FINISHED'] });
      await service.call('DELETE', `/v1/webhook?id=${id}`);
      expectProblem(await patch({ id: events[0].id, enabled: true }), 404, 'not_found');
    });
  });

  describe('update', () => {
    it('switches off and on', async () => {
      const { id, events } = await createWebhook(service, { events: ['RECORD_FINISHED'] });
      for (const enabled of [false, false, true]) {
        const answer = await patch({ id: events[0].id, enabled });
        expect(answer).toMatchObject({ status: 200, body: { ...events[0], enabled } });
        expect(await eventsOf(id)).toEqual([{ ...events[0], enabled }]);
      }
    });

    it('changes nothing else', async () => {
      const { events } = await createWebhook(service, { events: ['RECORD_FINISHED'] });
      const { id } = events[0];
      const answer = await patch({ id, enabled: true, kind: 'STATUS_CHANGED', webhook_id: NO_ID });
      expectProblem(answer, 400, 'validation_failed', ['/kind', '/webhook_id']);
      expectProblem(await patch({ id }), 400, 'validation_failed', ['/enabled']);
      expectProblem(await patch({ enabled: 1 }), 400, 'validation_failed', ['/id', '/enabled']);
      expectProblem(await patch({ id: NO_ID, enabled: true }), 404, 'not_found');
    });
  });

  it('have a list of kinds, each with the schema and an example of the payload', async () => {
    const answer = await service.call('GET', '/v1/webhook/event/kind/list');
    expect(answer).toMatchObject({ status: 200, body: { next_cursor: null } });
    const { data } = answer.body;
    const names = data.map((one: { kind: string }) => one.kind);
    const operational = ['TRIGGER_FAILED', 'TRIGGER_RECOVERED', 'WEBHOOK_DISABLED', 'WEBHOOK_FAILING'];
    expect(names.sort()).toEqual(['ANALYSIS_FINISHED', 'RECORD_FINISHED', 'STATUS_CHANGED', ...operational]);
    for (const { kind: name, event_kind, description, schema, example } of data) {
      expect(event_kind).toBe(name);
      expect(description).toMatch(/\w/);
      expect(schema).toMatchObject({ type: 'object', required: ['data', 'triggered_at', 'event_kind'] });
      expect(Object.keys(example)).toEqual(['data', 'triggered_at', 'event_kind']);
      expect(example.event_kind).toBe(name);
    }
    const unknown = await service.call('GET', '/v1/webhook/event/kind/list?limit=1');
    expectProblem(unknown, 400, 'validation_failed', ['?limit']);
  });
});
