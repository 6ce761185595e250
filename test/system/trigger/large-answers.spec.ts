import { beforeEach, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { databases } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { ADMIN_KEY, type TestService } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';
import { leastBlockMs } from '../support/computing.js';
import { startProcessOn } from '../support/process.js';

const LIST = '/v1/webhook/trigger/list';
const MIB = 1024 * 1024;
const BODIES = 40;
const CALLS = 8;
const ROUNDS = 5;
const COMPUTED_MS = 100;
/** Deliveries would disturb the measurement. */
const ENV = { ROLE: 'api' };

type Calling = Pick<TestService, 'call' | 'url'>;

/** Almost 1 MiB. */
const record = `{"id":"rec_1","analysis":[],"text":"${'x'.repeat(MIB - 1000)}"}`;

describe.each(databases)('large answers on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  const user = newUser();
  let agent: Agent;

  beforeEach(() => {
    agent = new Agent({ connections: CALLS });
    database.defer(() => agent.close());
  });

  async function fill(service: Calling): Promise<void> {
    await createWebhook(service, { user_id: user, events: ['RECORD_FINISHED'] });
    for (let count = 0; count < BODIES; count++) {
      const raw = `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":${record}}`;
      await service.call('POST', '/v1/notification', undefined, { raw });
    }
  }

  /** The body is not parsed: that would count as work of a service in this process. */
  async function list({ url }: Calling): Promise<void> {
    const { statusCode, body } = await request(`${url}${LIST}?include=data&limit=100&user_id=${user}`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
      dispatcher: agent,
    });
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    expect(statusCode).toBe(200);
    expect(bytes).toBeLessThan(3 * MIB);
  }

  const listAtOnce = (service: Calling) => Promise.all(Array.from({ length: CALLS }, () => list(service)));

  it('hold up no other call', async () => {
    const service = await database.start(ENV);
    await fill(service);
    expect(await leastBlockMs(() => listAtOnce(service), COMPUTED_MS)).toBeLessThan(COMPUTED_MS);
  });

  it('fit into a small heap', async () => {
    const service = await startProcessOn(database, { ...ENV, NODE_OPTIONS: '--max-old-space-size=256' });
    await fill(service);
    for (let round = 0; round < ROUNDS; round++) await listAtOnce(service);
  });
});
