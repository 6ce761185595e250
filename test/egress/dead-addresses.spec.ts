import { connect, Socket } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestClock } from '../../src/module/testing/test-clock.js';
import { Connector } from '../../src/network/connector.js';
import { Dialler } from '../../src/network/dialler.js';
import { SQLITE } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, newUser, notify, trigger } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

/** Neither an answer nor an error comes from them. */
const DEAD = ['127.0.9.1', '127.0.9.2'];

describe('a webhook whose host has several addresses', () => {
  /** Of the dialling alone: the service looks for triggers as time passes. */
  const clock = new TestClock();
  const service = useService(SQLITE, {
    DELIVERY_TIMEOUT_MS: '30000',
    RETRY_SCHEDULE_SECONDS: '3600',
    WEBHOOKS_PER_USER: '200',
  });
  const receiver = useReceiver('test');
  /** By host. */
  const addresses = new Map<string, string[]>();
  let dialled: string[];
  let user: string;
  let hosts = 0;

  beforeAll(() => {
    const connector = service.get(Connector);
    const dialler = new Dialler((options) => {
      dialled.push(options.host ?? '');
      return DEAD.includes(options.host ?? '') ? new Socket() : connect(options);
    }, clock);
    Reflect.set(connector, 'resolve', async (host: string) => addresses.get(host));
    Reflect.set(connector, 'dialler', dialler);
  });
  beforeEach(() => {
    dialled = [];
    user = newUser();
  });

  /** A webhook on a host of its own, to which no connection is open. @returns the host */
  async function webhookAt(user_id: string, ...found: string[]): Promise<string> {
    const host = `host-${++hosts}.test`;
    addresses.set(host, found);
    await createWebhook(service, { user_id, url: `http://${host}:${receiver.port}/${found[0]}` });
    return host;
  }

  it.each([
    [0, '127.0.0.1', ...DEAD],
    [1, DEAD[0], '127.0.0.1', DEAD[1]],
    [2, ...DEAD, '127.0.0.1'],
  ])('is delivered in the first attempt if all but number %i of three are dead', async (before, ...found) => {
    await webhookAt(user, ...(found as string[]));
    const id = await trigger(service, user);
    for (let turn = 1; turn <= before; turn++) {
      await until(() => dialled.length === turn);
      clock.advance(250);
    }
    const { attempts } = await attempted(service, id);
    expect(attempts).toMatchObject([{ number: 1, response_data: { status: 200 }, error: null }]);
    expect(dialled).toEqual(found.slice(0, before + 1));
  });

  it('holds up nobody else if one of them is dead, nor do two hundred of this kind', async () => {
    const others = newUser();
    for (let pair = 0; pair < 200; pair++) {
      await webhookAt(user, DEAD[0] ?? '', '127.0.0.1');
      await webhookAt(others, '127.0.0.1');
    }
    await notify(service, user);
    await notify(service, others);
    await until(() => receiver.at('/127.0.0.1').length === 200);
    expect(receiver.requests).toHaveLength(200);
    await until(() => {
      clock.advance(250);
      return receiver.requests.length === 400;
    });
  });

  it('is told which ones were dialled if each refuses', async () => {
    const host = await webhookAt(user, '127.0.9.3', '127.0.9.4');
    const { attempts } = await attempted(service, await trigger(service, user));
    expect(attempts[0].error.code).toBe('connection_refused');
    expect(attempts[0].diagnosis.summary).toBe(
      `Nothing accepted the connection to ${host}. Tried were 127.0.9.3, 127.0.9.4.`,
    );
  });
});
