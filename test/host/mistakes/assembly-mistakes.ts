import { type DynamicModule, Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  WebhookModule,
  type WebhookModuleAsyncOptions,
  type WebhookModuleOptions,
  type WebhookModuleStructure,
  WebhookService,
  webhookDatabase,
} from '../../../src/index.js';
import { mockWebhooks } from '../../../src/testing/index.js';
import { HOST_KEYS } from '../../support/host.js';
import type { Mistake } from './mistake.js';

type Imported = DynamicModule | Type;

const encryptionKeys = HOST_KEYS;
const valid = { encryptionKeys, role: 'api' } as const;

/** Starts an application with the webhooks, and closes it, if it starts at all. */
async function start(...imports: Imported[]): Promise<void> {
  @Module({
    imports: [
      EventEmitterModule.forRoot(),
      TypeOrmModule.forRootAsync(webhookDatabase('sqlite::memory:')),
      ...imports,
    ],
  })
  class HostModule {}
  const app = await NestFactory.createApplicationContext(HostModule, { logger: false, abortOnError: false });
  await app.close();
}

const forRoot = (options: unknown) => () =>
  start(WebhookModule.forRoot(options as WebhookModuleOptions & Partial<WebhookModuleStructure>));
const forRootAsync = (options: unknown) => () =>
  start(WebhookModule.forRootAsync(options as WebhookModuleAsyncOptions));
const useFactory = (useFactory: () => unknown) => forRootAsync({ useFactory });
/** The class itself, which the compiler refuses. */
const bare = WebhookModule as unknown as Type;

@Injectable()
class Invoices {
  constructor(readonly webhooks: WebhookService) {}
}

const importing = (webhooks: Imported): DynamicModule => ({
  module: class InvoiceModule {},
  imports: [webhooks],
  providers: [Invoices],
});

/** An application under test, compiled before its webhooks are mocked. */
async function mockTooLate(): Promise<void> {
  const builder = Test.createTestingModule({
    imports: [
      EventEmitterModule.forRoot(),
      TypeOrmModule.forRootAsync(webhookDatabase('sqlite::memory:')),
      WebhookModule.forRoot(valid),
    ],
  });
  const compiled = await builder.compile();
  try {
    mockWebhooks(builder);
  } finally {
    await compiled.close();
  }
}

const once: Mistake[] = [
  {
    title: 'calls forRoot in two modules',
    make: () => start(importing(WebhookModule.forRoot(valid)), importing(WebhookModule.forRoot(valid))),
    says: /called 2 times.*constant.*isGlobal/s,
  },
  {
    title: 'calls forRoot and forRootAsync',
    make: () =>
      start(WebhookModule.forRoot(valid), WebhookModule.forRootAsync({ useFactory: async () => valid })),
    says: /called 2 times.*constant.*isGlobal/s,
  },
  {
    title: 'calls forRoot for each of two data sources',
    make: () =>
      start(
        TypeOrmModule.forRootAsync(webhookDatabase('sqlite::memory:', { name: 'second' })),
        WebhookModule.forRoot(valid),
        WebhookModule.forRoot({ ...valid, dataSource: 'second' }),
      ),
    says: /called 2 times.*constant.*isGlobal/s,
  },
  {
    title: 'imports the class WebhookModule',
    make: () => start(bare),
    says: /WebhookModule\.forRoot\(\{ … \}\) returned.*isGlobal/,
  },
  {
    title: 'imports the class WebhookModule where its services are injected',
    make: () => start(WebhookModule.forRoot(valid), importing(bare)),
    says: /WebhookModule\.forRoot\(\{ … \}\) returned.*isGlobal/,
  },
  {
    title: 'imports no data source for the webhooks',
    make: () => start(WebhookModule.forRoot({ ...valid, dataSource: 'hooks' })),
    says: /no TypeORM data source named "hooks".*webhookDatabase\(url, \{ name: 'hooks' \}\)/,
  },
];

const names: Mistake[] = [
  {
    title: 'misspells encryptionKeys',
    make: forRoot({ encryptionKey: encryptionKeys }),
    says: /encryptionKey: is not an option; did you mean encryptionKeys\?/,
  },
  {
    title: 'misspells delivery',
    make: forRoot({ encryptionKeys, delivry: { timeoutMs: 2000 } }),
    says: /delivry: is not an option; did you mean delivery\?/,
  },
  {
    title: 'forgets the unit in the name of delivery.timeoutMs',
    make: forRoot({ encryptionKeys, delivery: { timeout: 2000 } }),
    says: /delivery\.timeout: is not an option; did you mean delivery\.timeoutMs\?/,
  },
  {
    title: 'writes an option of a group outside of it',
    make: forRoot({ encryptionKeys, timeoutMs: 2000 }),
    says: /timeoutMs: is not an option here; did you mean delivery\.timeoutMs\?/,
  },
  {
    title: 'writes an option that is like no other',
    make: forRoot({ encryptionKeys, colour: 'red' }),
    says: /colour: is not an option; there are routes, prefix, .*encryptionKeys/,
  },
  {
    title: 'misspells a field of an event kind',
    make: forRoot({
      encryptionKeys,
      eventKinds: { PAID: { event: 'paid', descripton: 'Paid.', schema: {}, example: {} } },
    }),
    says: /eventKinds\.PAID\.descripton: is not an option; did you mean eventKinds\.PAID\.description\?/,
  },
  {
    title: 'misspells a structural option of forRoot',
    make: forRoot({ ...valid, globl: true, isglobal: true }),
    says: /isglobal: is not an option; did you mean isGlobal\?/,
  },
  {
    title: 'misspells a structural option of forRootAsync',
    make: forRootAsync({ prefx: 'integrations', useFactory: () => valid }),
    says: /prefx: is not an option; did you mean prefix\?/,
  },
  {
    title: 'misspells useFactory',
    make: forRootAsync({ usefactory: () => valid }),
    says: /usefactory: is not an option; did you mean useFactory\?/,
  },
  {
    title: 'misspells an option in what useFactory returns',
    make: useFactory(() => ({ encryptionKeys, delivry: {} })),
    says: /delivry: is not an option; did you mean delivery\?/,
  },
  {
    title: 'misspells an option of a group in what useFactory returns',
    make: useFactory(async () => ({ encryptionKeys, egress: { allowHTTPS: false } })),
    says: /egress\.allowHTTPS: is not an option; did you mean egress\.allowHttp\?/,
  },
];

const structural = {
  routes: false,
  prefix: 'x',
  isGlobal: true,
  dataSource: 'x',
  guards: [],
  principal: () => null,
};

const places: Mistake[] = [
  ...Object.entries(structural).map(([name, value]) => ({
    title: `returns ${name} from useFactory`,
    make: useFactory(() => ({ encryptionKeys, [name]: value })),
    says: new RegExp(`${name}: decides how the module is assembled.*write it beside useFactory`),
  })),
  {
    title: 'writes encryptionKeys beside useFactory',
    make: forRootAsync({ encryptionKeys, useFactory: () => ({}) }),
    says: /encryptionKeys: goes into what useFactory returns/,
  },
  {
    title: 'passes useFactory to forRoot',
    make: forRoot({ useFactory: () => valid }),
    says: /useFactory: is an option of forRootAsync/,
  },
];

const shapes: Mistake[] = [
  ...[undefined, null, 'k1', []].map((given) => ({
    title: `returns ${JSON.stringify(given)} from useFactory`,
    make: useFactory(() => given),
    says: /useFactory: must return the options, such as \{ encryptionKeys \}/,
  })),
  {
    title: 'forgets to return from an async useFactory',
    make: useFactory(async () => {}),
    says: /useFactory: must return the options.*not undefined/,
  },
  {
    title: 'calls forRootAsync without useFactory',
    make: forRootAsync({ inject: [] }),
    says: /lacks useFactory; write useFactory: \(config: ConfigService\)/,
  },
  {
    title: 'calls useFactory instead of passing it',
    make: forRootAsync({ useFactory: valid }),
    says: /useFactory: must be a function that returns the options/,
  },
  {
    title: 'passes a class to inject, and no array',
    make: forRootAsync({ inject: Invoices, useFactory: () => valid }),
    says: /inject: must be an array/,
  },
  {
    title: 'calls forRoot without options',
    make: forRoot(undefined),
    says: /forRoot: needs the options, such as \{ encryptionKeys \}, not undefined/,
  },
  {
    title: 'calls forRootAsync with a function',
    make: forRootAsync(() => valid),
    says: /forRootAsync: needs \{ useFactory: .*not a function/,
  },
  {
    title: 'passes one guard, and no array',
    make: forRoot({ ...valid, guards: Invoices }),
    says: /guards: must be an array, such as \[TenantGuard\]/,
  },
  {
    title: 'passes a guard that a circular import left undefined',
    make: forRoot({ ...valid, guards: [undefined] }),
    says: /guards\.0: must be a guard: a class, or an object with canActivate/,
  },
  {
    title: 'passes a data source instead of its name',
    make: forRoot({ ...valid, dataSource: { name: 'webhooks' } }),
    says: /dataSource: must be the name of a data source/,
  },
  {
    title: 'passes a caller as principal, and no function',
    make: forRoot({ ...valid, principal: { userId: 'ada' } }),
    says: /principal: must be a function of the request/,
  },
];

const mocks: Mistake[] = [
  {
    title: 'calls mockWebhooks after compile()',
    make: mockTooLate,
    says: /mockWebhooks.*before.*compile\(\)/s,
  },
  {
    title: 'passes a compiled module to mockWebhooks',
    make: async () => {
      const compiled = await Test.createTestingModule({}).compile();
      mockWebhooks(compiled as never);
    },
    says: /mockWebhooks.*Test\.createTestingModule/s,
  },
];

/** Mistakes in how an application assembles the module. */
export const assemblyMistakes: Mistake[] = [...once, ...names, ...places, ...shapes, ...mocks];
