import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { WebhookModule, type WebhookModuleOptions, webhookDatabase } from '../../src/index.js';
import { database, start, valid } from './application.js';

const { encryptionKeys } = valid;
const { forRoot, forRootAsync } = WebhookModule;
const MEMORY = 'sqlite::memory:';

// The compiler checks each comment below: without an error in the next line, it reports the comment itself.
describe('the compiler refuses what the module refuses', () => {
  it('when the class is imported', async () => {
    // @ts-expect-error
    Module({ imports: [WebhookModule] });
    // @ts-expect-error
    await expect(start(database(), WebhookModule)).rejects.toThrow('imported without options');
  });

  it('when an option of forRoot is misspelt', () => {
    // @ts-expect-error
    expect(() => forRoot({ ...valid, delivry: {} })).toThrow('did you mean delivery?');
    // @ts-expect-error
    expect(() => forRoot({ ...valid, delivery: { timeout: 1 } })).toThrow('did you mean delivery.timeoutMs?');
  });

  it('when an option beside useFactory is misspelt, or belongs into its result', () => {
    const useFactory = () => valid;
    // @ts-expect-error
    expect(() => forRootAsync({ useFactory, prefx: 'x' })).toThrow('did you mean prefix?');
    // @ts-expect-error
    expect(() => forRootAsync({ useFactory, encryptionKeys })).toThrow('goes into what useFactory returns');
  });

  it('when useFactory returns a structural option, no options, or not the required one', async () => {
    // @ts-expect-error
    const structural = forRootAsync({ useFactory: () => ({ ...valid, prefix: 'x' }) });
    await expect(start(database(), structural)).rejects.toThrow('write it beside useFactory');
    // @ts-expect-error
    const later = forRootAsync({ useFactory: async () => ({ ...valid, isGlobal: true }) });
    await expect(start(database(), later)).rejects.toThrow('write it beside useFactory');
    // @ts-expect-error
    const nothing = forRootAsync({ useFactory: () => {} });
    await expect(start(database(), nothing)).rejects.toThrow('must return the options');
    // @ts-expect-error
    const misspelt = forRootAsync({ useFactory: () => ({ encryptionKey: encryptionKeys }) });
    await expect(start(database(), misspelt)).rejects.toThrow('did you mean encryptionKeys?');
  });

  it('when webhookDatabase gets an option that it does not have', async () => {
    // @ts-expect-error
    expect(() => webhookDatabase({ type: 'mysql' })).toThrow('type: is not an option');
    // @ts-expect-error
    expect(() => webhookDatabase('mysql://db/app', { ssl: { pfx: '' } })).toThrow(
      'ssl.pfx: is not an option',
    );
    // @ts-expect-error
    const late = webhookDatabase({ useFactory: () => ({ url: MEMORY, entities: [] }) });
    await expect(late.useFactory?.()).rejects.toThrow('write it beside useFactory');
  });
});

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
