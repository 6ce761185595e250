import type { ConfigurableModuleAsyncOptions } from '@nestjs/common';
import type { WebhookModuleStructure } from './structural-options.js';
import type { WebhookModuleOptions } from './webhook-options.js';

/** What `useFactory` returns. {@link WebhookModuleStructure} has to be known earlier, so it goes beside `useFactory`. */
export type WebhookModuleLateOptions = WebhookModuleOptions & {
  [Name in keyof WebhookModuleStructure]?: never;
};

/** Options of `WebhookModule.forRootAsync`: `useFactory`, or else `useClass` or `useExisting`, is required. */
export interface WebhookModuleAsyncOptions
  extends Partial<WebhookModuleStructure>,
    ConfigurableModuleAsyncOptions<WebhookModuleLateOptions> {}
