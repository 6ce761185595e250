import { describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../src/rest/principal.js';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';

describe.each(databases)('who is calling, on $name', (kind) => {
  const service = useService(kind);
  const me = (key: string | null, query = '') => service.call('GET', `/v1/me${query}`, undefined, { key });

  it.each(SCOPES)('is told to a key with the scope %s alone', async (scope) => {
    const user = newUser();
    const answer = await me(await service.keyFor(user, scope));
    expect(answer).toMatchObject({ status: 200, body: { user_id: user, scopes: [scope] } });
    expect(Object.keys(answer.body)).toEqual(['user_id', 'scopes']);
  });

  it('is told to nobody without a key, and takes no parameters', async () => {
    expectProblem(await me(null), 401, 'unauthenticated');
    expectProblem(
      await me(await service.keyFor(newUser(), 'admin'), '?user_id=x'),
      400,
      'validation_failed',
      ['?user_id'],
    );
  });
});
