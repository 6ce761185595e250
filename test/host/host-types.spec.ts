import { expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { WebhookModule, type WebhookModuleOptions, webhookDatabase } from '../../src/index.js';
import { valid } from './application.js';

const { encryptionKeys } = valid;
const { forRoot, forRootAsync } = WebhookModule;

// Types alone: what is said when the program runs all the same stands in `mistakes/`. "npm run lint:types" checks this
// code, which never runs, and reports each comment whose next line has no error.
const refused = () => {
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
  webhookDatabase({ useFactory: () => ({ url: 'sqlite::memory:', entities: [] }) });
};

/** Options that depend on a condition, or come from elsewhere. */
const accepted = (made: WebhookModuleOptions, isLive: boolean, url: string | undefined) => {
  forRootAsync({ useFactory: async () => made });
  forRootAsync({ useFactory: () => (isLive ? { encryptionKeys } : valid) });
  webhookDatabase(url, { ssl: isLive ? { ca: '' } : undefined });
  webhookDatabase({ useFactory: async () => url });
  webhookDatabase({ useFactory: () => ({ url, ssl: isLive }) });
};

it('the compiler refuses what the module refuses, and accepts the rest', () => {
  expect([refused, accepted]).toHaveLength(2);
});
