import { type DynamicModule, Injectable, type Type } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import { WebhookModule, WebhookService } from '../../../src/index.js';
import { mockWebhooks } from '../../../src/module/testing/index.js';
import type { Mistake } from './mistake.js';
import { optionMistakes } from './option-mistakes.js';
import { type Imported, memory, start, valid } from './start.js';

/** The class itself, which the compiler refuses. */
const bare = WebhookModule as unknown as Type;

@Injectable()
class Invoices {
  constructor(readonly webhooks: WebhookService) {}
}

/** A module of the application that injects one of the services. */
const importing = (webhooks: Imported): DynamicModule => ({
  module: class InvoiceModule {},
  imports: [webhooks],
  providers: [Invoices],
});

/** Mocks the webhooks of an application that is compiled already. */
async function mockTooLate(): Promise<void> {
  const builder = Test.createTestingModule({
    imports: [EventEmitterModule.forRoot(), memory(), WebhookModule.forRoot(valid)],
  });
  const compiled = await builder.compile();
  try {
    mockWebhooks(builder);
  } finally {
    await compiled.close();
  }
}

/** Mistakes in how an application assembles the module. */
export const assemblyMistakes: Mistake[] = [
  {
    title: 'calls forRoot in two modules',
    make: () =>
      start(memory(), importing(WebhookModule.forRoot(valid)), importing(WebhookModule.forRoot(valid))),
    says: /called 2 times.*constant.*isGlobal/s,
  },
  {
    title: 'calls forRoot and forRootAsync',
    make: () =>
      start(
        memory(),
        WebhookModule.forRoot(valid),
        WebhookModule.forRootAsync({ useFactory: async () => valid }),
      ),
    says: /called 2 times.*constant.*isGlobal/s,
  },
  {
    title: 'calls forRoot for each of two data sources',
    make: () =>
      start(
        memory(),
        memory('second'),
        WebhookModule.forRoot(valid),
        WebhookModule.forRoot({ ...valid, dataSource: 'second' }),
      ),
    says: /called 2 times.*constant.*isGlobal/s,
  },
  {
    title: 'imports the class WebhookModule',
    make: () => start(memory(), bare),
    says: /WebhookModule\.forRoot\(\{ … \}\) returned.*isGlobal/,
  },
  {
    title: 'imports the class WebhookModule where its services are injected',
    make: () => start(memory(), WebhookModule.forRoot(valid), importing(bare)),
    says: /WebhookModule\.forRoot\(\{ … \}\) returned.*isGlobal/,
  },
  {
    title: 'calls mockWebhooks after compile()',
    make: mockTooLate,
    says: /compile\(\) was called before\. Call mockWebhooks\(builder\) first/,
  },
  {
    title: 'passes a compiled module to mockWebhooks',
    make: async () => mockWebhooks((await Test.createTestingModule({}).compile()) as never),
    says: /mockWebhooks needs the builder that Test\.createTestingModule/,
  },
  ...optionMistakes,
];
