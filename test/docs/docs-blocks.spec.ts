import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { startLocalReceiver } from '../../src/module/testing/index.js';
import { newSecret } from '../../src/platform/secret/signing-secret.js';
import { HOST_KEYS } from '../support/host.js';
import { PATIENCE_MS } from '../support/until.js';
import { BlockRunner, blocksOf, type DocBlock, documents, typeErrors } from './doc-blocks.js';

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
const runner = new BlockRunner();
afterAll(() => runner.end());

function blockTo(run: string): DocBlock {
  const found = blocks.filter((block) => block.run === run);
  expect(found).toHaveLength(1);
  return found[0] as DocBlock;
}

describe('the code in the documents', () => {
  it('uses only checked languages', () => {
    const others = blocks.filter(({ language }) => !LANGUAGES.includes(language));
    expect(others.map(({ document, line, language }) => `${document}:${line} ${language}`)).toEqual([]);
    expect(documents.length).toBeGreaterThan(5);
  });

  it('has a block for every fence', () => {
    const fences = documents.flatMap(
      (document) =>
        readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8').match(/^\s*(```|~~~)/gm) ?? [],
    );
    expect(fences).toHaveLength(2 * blocks.length);
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
    const wrong = { document: 'docs/wrong.md', line: 7, language: 'ts', code, prelude: '', run: null };
    expect(typeErrors([wrong])).toEqual([expect.stringMatching(/^docs\/wrong\.md:9 .*'nothing'/)]);
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const shell = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code);
    const named = shell.join('\n').matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g);
    const names = [...named].map(([, run, short]) => run ?? short);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !((name as string) in scripts))).toEqual([]);
  });
});

describe('the first notification', () => {
  const secret = newSecret();
  let app: INestApplicationContext | undefined;

  beforeAll(() => {
    process.env.ENCRYPTION_KEYS = HOST_KEYS;
    process.env.WEBHOOK_SECRET = secret;
  });
  afterAll(() => {
    delete process.env.ENCRYPTION_KEYS;
    delete process.env.WEBHOOK_SECRET;
  });

  async function runFirst(port: string): Promise<void> {
    const replace = { '127.0.0.1:4000': `127.0.0.1:${port}` };
    const { app: started } = await runner.run(blockTo('first notification'), { replace, names: ['app'] });
    app = started as INestApplicationContext;
  }

  it(`takes at most ${MAX_LINES} short lines`, () => {
    const { code, prelude } = blockTo('first notification');
    const lines = code.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
    expect(prelude).toBe('');
    expect(code).not.toMatch(/\/\*|;[ \t]*\S/);
    expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
    expect(lines.filter((line) => line.length > MAX_WIDTH)).toEqual([]);
  });

  it('arrives and is verified', async () => {
    const receiver = await startLocalReceiver([secret]);
    await runFirst(new URL(receiver.url).port);
    expect(await receiver.next(PATIENCE_MS)).toMatchObject({
      path: '/hooks',
      payload: { event_kind: 'RECORD_FINISHED', data: { id: 'rec_1', analysis: [] } },
    });
    expect(receiver.refused).toBe(0);
    await app?.close();
    await receiver.close();
  });

  it('is printed by the receiver in the same document', async () => {
    const print = jest.spyOn(console, 'log');
    const printed = new Promise<unknown[]>((resolve) => {
      print.mockImplementation((...line: unknown[]) => resolve(line));
    });
    const receiver = await runner.run(blockTo('receiver'), {
      replace: { 'listen(4000': 'listen(0' },
      names: ['server'],
    });
    const server = receiver.server as Server;
    if (!server.listening) await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await runFirst(`${port}`);
    expect(await printed).toMatchObject([
      'verified:',
      { event_kind: 'RECORD_FINISHED', data: { id: 'rec_1' } },
    ]);
    expect((await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' })).status).toBe(401);
    print.mockRestore();
    await app?.close();
    server.close();
  });
});

Logger.overrideLogger(false);
// These blocks declare tests, so importing them adds the tests to this suite.
for (const block of blocks.filter(({ run }) => run === 'testing')) await runner.run(block);
