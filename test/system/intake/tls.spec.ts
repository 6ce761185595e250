import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ADMIN_KEY } from '../../support/call.js';
import { pem } from '../../support/certs/pem.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { LocalServer } from '../../support/local-server.js';
import { newUser, record } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ENCRYPTION_KEYS, ServiceProcess } from '../support/process.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';

const AUTHORITY = fileURLToPath(new URL('../../support/certs/authority.cert.pem', import.meta.url));

describeWithRabbitmq.each(databases.slice(0, 1))('the intake over TLS', (kind) => {
  const database = useDatabase(kind, 'test');
  const broker = useBroker();
  const receiver = useReceiver('test');

  /**
   * Speaks TLS before the broker, with a certificate for `localhost` and 127.0.0.1 that a private authority signed.
   *
   * @returns the URL of the intake.
   */
  async function overTls(host: '127.0.0.1' | '::1' = '127.0.0.1'): Promise<string> {
    const { hostname, port, username, password } = new URL(broker.url);
    const identity = { cert: pem('issued.cert'), key: pem('issued.key') };
    const server = createServer(identity, (client) => {
      pipeline(client, connect(Number(port), hostname), client, () => {});
    });
    const local = new LocalServer(server, 'https', host);
    await local.listen();
    database.defer(() => local.close());
    return local.url.replace('https://', `amqps://${username}:${password}@`);
  }

  /** In a process of its own, as Node reads NODE_EXTRA_CA_CERTS only when it starts. */
  async function startedKnowing(INTAKE_URL: string): Promise<ServiceProcess> {
    const service = await ServiceProcess.at({
      ...broker.env,
      DATABASE_URL: database.url,
      BOOTSTRAP_API_KEY: ADMIN_KEY,
      ENCRYPTION_KEYS,
      INTAKE_URL,
      NODE_EXTRA_CA_CERTS: AUTHORITY,
    });
    database.defer(() => service.end('SIGKILL'));
    await service.start();
    return service;
  }

  it('takes messages from a broker whose certificate is signed by a private authority', async () => {
    const service = await startedKnowing(await overTls());
    const user_id = newUser();
    await createWebhook(service, { user_id, url: receiver.url });
    await broker.send({ event_kind: 'RECORD_FINISHED', user_id, record });
    await receiver.waitFor(1);
    await until(async () => (await broker.ready()) === 0, { what: 'an empty queue' });
  });

  it('takes none from one whose certificate is for another name', async () => {
    const service = await startedKnowing(await overTls('::1'));
    await until(() => /does not match certificate/.test(service.output), { what: 'the reason' });
    expect(service.output).not.toMatch('Taking events');
    expect(await service.readiness()).toBe(200);
  });

  it.each([
    ['an unknown authority', () => overTls(), /certificate.*set NODE_EXTRA_CA_CERTS/],
    [
      'a port without TLS',
      async () => broker.url.replace(/^amqp:/, 'amqps:'),
      /no TLS is spoken at that port/,
    ],
  ])('says what to do about %s', async (_, url, message) => {
    const logged: string[] = [];
    const spy = jest.spyOn(Logger.prototype, 'error').mockImplementation((text) => {
      logged.push(String(text));
    });
    database.defer(() => spy.mockRestore());
    await database.start({ ...broker.env, INTAKE_URL: await url() });
    await until(() => logged.length > 0, { what: 'an error' });
    expect(logged[0]).toMatch(message);
  });
});
