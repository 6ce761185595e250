import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type INestApplicationContext, Inject, Injectable, Module } from '@nestjs/common';
import { ApplicationConfig, ModuleRef, ModulesContainer, NestFactory } from '@nestjs/core';
import * as exported from '../../src/index.js';
import * as testing from '../../src/module/testing/index.js';
import { database, emitter, valid, webhookModule } from './application.js';

const { WebhookMetrics, WebhookService } = exported;

type Token = Parameters<typeof Inject>[0];

/** Modules of Nest and of the host, whose providers do not belong to the package. */
const OTHERS = /^(InternalCoreModule|EventEmitterModule|TypeOrm\w*|DiscoveryModule|HttpModule|HostModule)$/;
/** Providers that Nest adds to every module. */
const EVERYWHERE: unknown[] = [ApplicationConfig, ModuleRef];
/** Names under which the package exports what may be injected. */
const DOCUMENTED = [
  'ApiKeyService',
  'EventService',
  'IntakeHandler',
  'LifecyclePublisher',
  'NotificationErasure',
  'NotificationService',
  'NotifierService',
  'StatisticsService',
  'TriggerService',
  'WEBHOOK_CLOCK',
  'WebhookMetrics',
  'WebhookRecovery',
  'WebhookSecrets',
  'WebhookService',
];
/** The package exports these. What it does not export is injected by its own modules alone. */
const EXPORTED: unknown[] = [exported, testing].flatMap(Object.values);

@Module({ imports: [emitter(), database(), webhookModule(valid)] })
class HostModule {
  constructor(private readonly modules: ModuleRef) {}

  /** Creates a class of the application that injects the token. */
  async inject<T>(token: Token): Promise<T> {
    @Injectable()
    class Dependent {
      constructor(@Inject(token) readonly given: T) {}
    }
    return (await this.modules.create(Dependent)).given;
  }
}

describe('dependency injection in a host', () => {
  let app: INestApplicationContext;
  let host: HostModule;

  beforeAll(async () => {
    app = await NestFactory.createApplicationContext(HostModule, { logger: false });
    host = app.get(HostModule);
  });
  afterAll(() => app.close());

  it('gives the documented services, and nothing else that an application can name', async () => {
    const tokens = [...app.get(ModulesContainer).values()]
      .filter(({ name }) => !OTHERS.test(name))
      .flatMap(({ name, providers }) =>
        [...providers.keys()].filter((token) => nameOf(token) !== name && !EVERYWHERE.includes(token)),
      );
    const given = await Promise.all(
      [...new Set(tokens)].map(async (token) => {
        const found = await host.inject(token as Token).catch(() => undefined);
        return found === undefined || !isNameable(token) ? [] : [nameOf(token)];
      }),
    );
    expect(tokens.length).toBeGreaterThan(50);
    const documented = Object.entries(exported).filter(([name]) => DOCUMENTED.includes(name));
    const expected = documented.map(([, token]) => nameOf(token));
    expect(given.flat().sort()).toEqual(expected.sort());
  });

  it('gives the same instance of a service as the application uses', async () => {
    expect(await host.inject(WebhookService)).toBe(app.get(WebhookService));
  });

  it("gives the engine's Prometheus metrics", async () => {
    const { registry } = await host.inject<exported.WebhookMetrics>(WebhookMetrics);
    expect(await registry.metrics()).toContain('webhook_notifications_accepted_total 0');
  });
});

const isNameable = (token: unknown) =>
  EXPORTED.includes(token) ||
  typeof token === 'string' ||
  (typeof token === 'symbol' && Symbol.keyFor(token) !== undefined);

function nameOf(token: unknown): string {
  return typeof token === 'function' ? token.name : String((token as symbol).description ?? token);
}
