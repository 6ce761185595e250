import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { newSecret } from '../../src/platform/secret/signing-secret.js';
import { SQLITE } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { HOST_KEYS } from '../support/host.js';
import { notify } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { BlockFolder, blocksOf, blockTo, type DocBlock, documents, typeErrors } from './doc-blocks.js';

/** Languages checked here, and those that cannot be compiled: shell commands and HTTP. */
const LANGUAGES = ['ts', 'diff', 'sh', 'http', 'text'];
/** Line limit for the code from an empty application to the first notification. */
const MAX_LINES = 12;
const MAX_WIDTH = 120;
/** The compiler has to read all sources and libraries once. */
const COMPILE_TIMEOUT_MS = 120_000;

const blocks = documents.flatMap(blocksOf);
/** Documents whose kinds count in all that is compiled with them. */
const declaring = documents.filter((document) =>
  blocks.some((block) => block.document === document && /declare module/.test(block.prelude + block.code)),
);
const folder = new BlockFolder();
afterAll(() => folder.remove());

describe('the code in the documents', () => {
  it('uses only checked languages', () => {
    const others = blocks.filter(({ language }) => !LANGUAGES.includes(language));
    expect(others.map(({ document, line, language }) => `${document}:${line} ${language}`)).toEqual([]);
    expect(documents.length).toBeGreaterThan(5);
  });

  it('has a block for every fence', () => {
    const textOf = (document: string) => readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8');
    for (const document of [...documents, 'docs/verify.md']) {
      const fences = textOf(document).match(/^\s*(```|~~~)/gm) ?? [];
      expect(fences).toHaveLength(2 * blocksOf(document).length);
    }
  });

  it.each([...declaring, 'the others'])(
    'compiles, in %s',
    (document) => {
      const code = blocks.filter(({ language }) => language === 'ts' || language === 'diff');
      const isOther = (block: DocBlock) => !declaring.includes(block.document);
      const isOwn = (block: DocBlock) =>
        document === 'the others' ? isOther(block) : block.document === document;
      expect(typeErrors(code.filter(isOwn))).toEqual([]);
    },
    COMPILE_TIMEOUT_MS,
  );

  it('does not compile when it contains a mistake', () => {
    const code = `import { NotifierService } from 'webhook-notification-service';\n\nNotifierService.nothing();\n`;
    const wrong = { document: 'docs/wrong.md', line: 7, language: 'ts', heading: '', prelude: '', run: null };
    expect(typeErrors([{ ...wrong, code }])).toEqual([
      expect.stringMatching(/^docs\/wrong\.md:9 .*'nothing'/),
    ]);
  });
});

Logger.overrideLogger(false);
// These blocks declare tests, so importing them adds the tests to this suite.
for (const block of blocks.filter(({ run }) => run === 'testing')) await folder.run(block);

describe('docs/migrating.md', () => {
  const service = useService(SQLITE);
  const receiver = useReceiver('test');

  /** What is sent, behind the request line. */
  const bodyOf = ({ code }: DocBlock) => JSON.parse(code.slice(code.indexOf('{')));

  it.each(['stripe', 'github', 'standard'])('replaces a sender like %s', async (name) => {
    const webhook = { ...bodyOf(blockTo(`${name} webhook`)), url: receiver.url };
    for (const status of [201, 200])
      expect(await service.call('PUT', '/v1/webhook', webhook)).toMatchObject({ status });
    const { receive } = (await folder.run(blockTo(`${name} receiver`))) as {
      receive: (secret: string, headers: IncomingHttpHeaders, body: Buffer) => unknown;
    };
    await notify(service, 'admin');
    const [{ headers, body } = {} as never] = await receiver.waitFor(1);
    expect(await receive(webhook.secret, headers, body)).toMatchObject({ event_kind: 'RECORD_FINISHED' });
    const forged = async () => receive(webhook.secret, headers, Buffer.concat([body, Buffer.from(' ')]));
    await expect(forged()).rejects.toThrow();
    const other = async () => receive(`${webhook.secret.slice(0, -4)}AAAA`, headers, body);
    await expect(other()).rejects.toThrow();
    const { id } = (await service.call('GET', `/v1/webhook?uid=${webhook.uid}`)).body;
    await service.call('DELETE', `/v1/webhook?id=${id}`);
  });

  it('is verified with a public key as docs/settings.md shows', async () => {
    const signature = { scheme: 'standard-asymmetric' };
    const { secret } = await createWebhook(service, { url: receiver.url, signature });
    const { isGenuine } = (await folder.run(blockTo('asymmetric receiver'))) as {
      isGenuine: (...args: unknown[]) => boolean;
    };
    await notify(service, 'admin');
    const [request] = await receiver.waitFor(1);
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const given = names.map((name) => request?.headers[name]);
    expect(isGenuine(secret, ...given, request?.body)).toBe(true);
    expect(isGenuine(secret, ...given, Buffer.from('{}'))).toBe(false);
  });
});

describe('the first notification', () => {
  it(`takes at most ${MAX_LINES} short lines`, () => {
    const { code, prelude } = blockTo('first notification');
    const lines = code.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
    expect(prelude).toBe('');
    expect(code).not.toMatch(/\/\*|;[ \t]*\S/);
    expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
    expect(lines.filter((line) => line.length > MAX_WIDTH)).toEqual([]);
  });

  it('arrives, and is verified and printed by the receiver in the same document', async () => {
    process.env.ENCRYPTION_KEYS = HOST_KEYS;
    process.env.WEBHOOK_SECRET = newSecret();
    const print = jest.spyOn(console, 'log');
    const printed = new Promise<unknown[]>((resolve) => {
      print.mockImplementation((...line: unknown[]) => resolve(line));
    });
    const receiver = await folder.run(blockTo('receiver'), {
      replace: { 'listen(4000': 'listen(0' },
      names: ['server'],
    });
    const server = receiver.server as Server;
    if (!server.listening) await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sender = await folder.run(blockTo('first notification'), {
      replace: { '127.0.0.1:4000': `127.0.0.1:${port}` },
      names: ['app'],
    });
    expect(await printed).toMatchObject([
      'verified:',
      { event_kind: 'RECORD_FINISHED', data: { id: 'rec_1', analysis: [] } },
    ]);
    expect((await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' })).status).toBe(401);
    print.mockRestore();
    await (sender.app as INestApplicationContext).close();
    server.close();
    server.closeAllConnections();
  });
});
