import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { WebhookModule, type WebhookModuleOptions, webhookDatabase } from '../../src/index.js';
import { database, start, valid } from './application.js';

const { encryptionKeys } = valid;
const { forRoot, forRootAsync } = WebhookModule;
const MEMORY = 'sqlite::memory:';

/**
 * What the compiler refuses, and what is never called: `mistakes/` runs it all the same. "npm run lint:types" reports each
 * comment whose next line has no error.
 */
export function refused(): void {
  const useFactory = () => valid;
  // @ts-expect-error the class
  Module({ imports: [WebhookModule] });
  // @ts-expect-error a misspelt option
  forRoot({ ...valid, delivry: {} });
  // @ts-expect-error a misspelt option of an option
  forRoot({ ...valid, delivery: { timeout: 1 } });
  // @ts-expect-error a misspelt option beside useFactory
  forRootAsync({ useFactory, prefx: 'x' });
  // @ts-expect-error an option that belongs into its result
  forRootAsync({ useFactory, encryptionKeys });
  // @ts-expect-error a structural option in its result
  forRootAsync({ useFactory: () => ({ ...valid, prefix: 'x' }) });
  // @ts-expect-error a structural option in its later result
  forRootAsync({ useFactory: async () => ({ ...valid, isGlobal: true }) });
  // @ts-expect-error no options in its result
  forRootAsync({ useFactory: () => {} });
  // @ts-expect-error a misspelt option in its result, in place of the required one
  forRootAsync({ useFactory: () => ({ encryptionKey: encryptionKeys }) });
  // @ts-expect-error an option that webhookDatabase decides
  webhookDatabase({ type: 'mysql' });
  // @ts-expect-error an unknown option of TLS
  webhookDatabase('mysql://db/app', { ssl: { pfx: '' } });
  // @ts-expect-error an option that has to be known at import
  webhookDatabase({ useFactory: () => ({ url: MEMORY, entities: [] }) });
}

describe('the compiler accepts', () => {
  it('options that depend on a condition, or come from elsewhere', async () => {
    const isLive = process.env.NODE_ENV === 'production';
    const made: WebhookModuleOptions = { ...valid };
    await start(database(), forRootAsync({ useFactory: async () => made }));
    await start(database(), forRootAsync({ useFactory: () => (isLive ? { encryptionKeys } : valid) }));
  });

  it('URLs that may be undefined, and TLS that depends on a condition', async () => {
    const isLive = process.env.NODE_ENV === 'production';
    const url = MEMORY as string | undefined;
    expect(webhookDatabase(url, { ssl: isLive ? { ca: '' } : undefined }).useFactory).toBeDefined();
    const late = [
      webhookDatabase({ useFactory: async () => url }),
      webhookDatabase({ useFactory: () => ({ url, ssl: isLive }) }),
    ];
    for (const { useFactory } of late) expect(await useFactory?.()).toMatchObject({ database: ':memory:' });
  });
});
