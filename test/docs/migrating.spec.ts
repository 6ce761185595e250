import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { notify } from '../support/scene.js';
import { BlockRunner, blocksOf, type DocBlock } from './doc-blocks.js';

const blocks = blocksOf('docs/migrating.md');
const runner = new BlockRunner();
afterAll(() => runner.end());

function blockOf(run: string): DocBlock {
  const found = blocks.find((block) => block.run === run);
  if (!found) throw new Error(`docs/migrating.md has no block "${run}".`);
  return found;
}

/** What is sent, behind the request line. */
const bodyOf = ({ code }: DocBlock) => JSON.parse(code.slice(code.indexOf('{')));

type Receive = (secret: string, headers: IncomingHttpHeaders, body: Buffer) => unknown;

describe.each(databases)('docs/migrating.md on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');

  it.each(['stripe', 'github', 'standard'])('replaces a sender like %s', async (name) => {
    const webhook = { ...bodyOf(blockOf(`${name} webhook`)), url: receiver.url };
    for (const status of [201, 200])
      expect(await service.call('PUT', '/v1/webhook', webhook)).toMatchObject({ status });
    const { receive } = (await runner.run(blockOf(`${name} receiver`))) as {
      receive: Receive;
    };
    await notify(service, 'admin');
    const [request] = await receiver.waitFor(1);
    if (!request) throw new Error('Nothing came.');
    const { headers, body } = request;
    expect(await receive(webhook.secret, headers, body)).toMatchObject({ event_kind: 'RECORD_FINISHED' });
    const forged = async () => receive(webhook.secret, headers, Buffer.concat([body, Buffer.from(' ')]));
    await expect(forged()).rejects.toThrow();
    const other = async () => receive(`${webhook.secret.slice(0, -4)}AAAA`, headers, body);
    await expect(other()).rejects.toThrow();
    const { id } = (await service.call('GET', `/v1/webhook?uid=${webhook.uid}`)).body;
    await service.call('DELETE', `/v1/webhook?id=${id}`);
  });

  it('is verified with a public key as docs/settings.md shows', async () => {
    const scheme = 'standard-asymmetric';
    const webhook = {
      name: 'Asymmetric',
      url: receiver.url,
      events: ['RECORD_FINISHED'],
      signature: { scheme },
    };
    const { body: created } = await service.call('POST', '/v1/webhook', webhook);
    const block = blocksOf('docs/settings.md').find(({ run }) => run === 'asymmetric receiver') as DocBlock;
    const { isGenuine } = (await runner.run(block)) as { isGenuine: (...args: unknown[]) => boolean };
    await notify(service, 'admin');
    const [request] = await receiver.waitFor(1);
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const given = names.map((name) => request?.headers[name]);
    expect(isGenuine(created.secret, ...given, request?.body)).toBe(true);
    expect(isGenuine(created.secret, ...given, Buffer.from('{}'))).toBe(false);
  });
});
