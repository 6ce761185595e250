import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser, notify } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('refused notifications on $name', (kind) => {
  const user = newUser();
  const service = useService(kind);

  beforeAll(async () => {
    await createWebhook(service, { user_id: user, url: 'http://127.0.0.1:1024/' });
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['no event_kind', { event_kind: undefined }, ['/event_kind']],
    ['an unknown event_kind', { event_kind: 'NO_SUCH_KIND' }, ['/event_kind']],
    ['an event_kind in lower case', { event_kind: 'record_finished' }, ['/event_kind']],
    ['the kind of a test', { event_kind: 'WEBHOOK_TEST' }, ['/event_kind']],
    ['no user_id', { user_id: undefined }, ['/user_id']],
    ['an empty user_id', { user_id: '' }, ['/user_id']],
    ['a long user_id', { user_id: 'u'.repeat(129) }, ['/user_id']],
    ['an unknown field', { extra: 1, 'a/b~c': 2 }, ['/a~1b~0c', '/extra']],
    ['no record', { record: undefined }, ['/record']],
    ['null for a record', { record: null }, ['/record']],
    ['an array for a record', { record: [] }, ['/record']],
    ['a record without id', { record: { analysis: [] } }, ['/record/id']],
    ['a record with a number for id', { record: { id: 7, analysis: [] } }, ['/record/id']],
    ['a record without analyses', { record: { id: 'r' } }, ['/record/analysis']],
    ['analyses that are no array', { record: { id: 'r', analysis: {} } }, ['/record/analysis']],
    ['analysis beside analyses', { record: { id: 'r', analysis: [], analyses: [] } }, ['/record/analyses']],
    [
      'several bad analyses',
      { record: { id: 'r', analyses: [{ id: 'a' }, {}, 'a', { id: '' }, null] } },
      ['/record/analyses/1/id', '/record/analyses/2', '/record/analyses/3/id', '/record/analyses/4'],
    ],
    ['all that is wrong with the envelope', { user_id: 3, event_kind: 4 }, ['/event_kind', '/user_id']],
    ['no analysis_id', { event_kind: 'ANALYSIS_FINISHED' }, ['/analysis_id']],
    ['null for analysis_id', { event_kind: 'ANALYSIS_FINISHED', analysis_id: null }, ['/analysis_id']],
  ])('refuses %s', async (_what, more, pointers) => {
    const answer = await notify(service, user, more);
    expectProblem(answer, 400, 'validation_failed', pointers);
    expect(answer.body.instance).toBe('/v1/notification');
  });

  it('refuses an analysis that the record does not contain', async () => {
    const answer = await notify(service, user, { event_kind: 'ANALYSIS_FINISHED', analysis_id: 'ana_3' });
    expectProblem(answer, 400, 'analysis_not_in_record', ['/analysis_id']);
  });

  const whole = `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":{"id":"r","analysis":[{"id":"a"}]}}`;

  it.each([
    ['record twice', '{"record":{"id":"r","analysis":[]},', '{', '/record'],
    ['user_id twice', '{"user_id":"somebody",', '{', '/user_id'],
    ['event_kind twice', '{"event_k\\u0069nd":"STATUS_CHANGED",', '{', '/event_kind'],
    ['the id of the record twice', '"id":"b","id":"r"', '"id":"r"', '/record/id'],
    ['analysis twice', '"analysis":[],"analysis"', '"analysis"', '/record/analysis'],
    ['the id of an analysis twice', '"id":"a","i\\u0064":"b"', '"id":"a"', '/record/analysis/0/id'],
    ['a __proto__ of its own', '{"__proto__":1,', '{', '/__proto__'],
  ])('refuses %s', async (_what, wrong, right, pointer) => {
    const raw = whole.replace(right, wrong);
    expect(await service.call('POST', '/v1/notification', undefined, { raw })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer }] },
    });
  });
});
