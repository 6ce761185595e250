import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Positions } from '../../src/engine/changes/position.js';
import { systemClock } from '../../src/platform/clock.js';
import { Vault } from '../../src/platform/secret/vault.js';
import { Database } from '../../src/store/database.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { newUser, notify } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { StreamReader } from '../support/stream.js';
import { until } from '../support/until.js';

const PATH = '/v1/notification/stream';
const [OLD, NEW] = ['old', 'new'].map((id, i) => `${id}:${Buffer.alloc(32, i + 1).toString('base64')}`);

describe.each(databases)('the position of a stream on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  const open: StreamReader[] = [];
  const { after } = systemClock;
  // Comments come every 15 seconds.
  beforeAll(() => {
    systemClock.after = (ms, run) => after(ms / 50, run);
  });
  afterAll(() => {
    systemClock.after = after;
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
  });

  async function follow(service: TestService, key: string, lastId = ''): Promise<StreamReader> {
    const stream = await StreamReader.open(service.url + PATH, { key, lastId });
    open.push(stream);
    return stream;
  }

  it('tells a user neither how much happens to others, nor whether anything does', async () => {
    const service = await database.start();
    const key = await service.keyFor(newUser(), 'webhooks:read');
    const positions = new Set<string>();
    const look = async () => {
      const stream = await follow(service, key);
      positions.add(await until(() => stream.lastId));
    };
    await look();
    await look();
    for (let i = 0; i < 5; i++) await notify(service, newUser());
    await look();
    const stream = await follow(service, key);
    await until(() => stream.comments >= 3 && positions.add(stream.lastId).size >= 6);
    // Each is another one, also where nothing happened, and all look the same.
    for (const position of positions) expect(position).toMatch(/^[\w-]{48}$/);
    const parts = [...positions].map((position) => Buffer.from(position, 'base64url'));
    for (let at = 0; at < 36; at++) expect(new Set(parts.map((bytes) => bytes[at])).size).toBeGreaterThan(1);
  });

  it('holds in every process that knows the key, also while keys are replaced', async () => {
    const first = await database.start({ ENCRYPTION_KEYS: OLD as string });
    const user = newUser();
    const key = await first.keyFor(user, 'webhooks:read');
    const before = await follow(first, key);
    const lastId = await until(() => before.lastId);
    const sent = await notify(first, user);
    await first.stop();
    const second = await database.start({ ENCRYPTION_KEYS: `${NEW},${OLD}` });
    const stream = await follow(second, key, lastId);
    await stream.when(({ id }) => id === sent.body.id);
    expect(stream.of('reset')).toEqual([]);
  });

  it('counts as unknown if it was not issued here', async () => {
    const service = await database.start();
    const key = await service.keyFor(newUser(), 'webhooks:read');
    const before = await follow(service, key);
    const lastId = await until(() => before.lastId);
    const [watch] = await service.get(Database).query<{ epoch: string }[]>('SELECT epoch FROM webhook_watch');
    const foreign = new Positions(new Vault([{ id: 'test', key: Buffer.alloc(32, 2) }]));
    const changed = Buffer.from(lastId, 'base64url');
    changed[35] = (changed[35] as number) ^ 1;
    const unknown = [
      changed.toString('base64url'),
      lastId.slice(0, -1),
      `${lastId}AAAA`,
      'x'.repeat(8000),
      foreign.write(0, watch?.epoch as string),
    ];
    for (const position of unknown) {
      const stream = await follow(service, key, position);
      await stream.when((_, { event }) => event === 'reset');
    }
  });
});
