import { createRequire } from 'node:module';
import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  Controller,
  type DynamicModule,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpException,
  type INestApplication,
  type LoggerService,
  Module,
  Post,
  VersioningType,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, HttpAdapterHost, NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import { webhookEntities, webhookMigrations } from '../../src/index.js';
import { type Answer, type CallOptions, call } from './service.js';

export const HOST_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** A host's own better-sqlite3, for `driver`. */
export const betterSqlite3 = createRequire(import.meta.url)('sqlite-driver');

/** A data source as a host would write it, with the webhooks' entities and migrations. */
export function hostDataSource(url: string, tablePrefix = ''): TypeOrmModuleOptions {
  const shared = {
    migrations: webhookMigrations,
    migrationsTableName: 'webhook_migration',
    migrationsRun: true,
  };
  return url.startsWith('sqlite:')
    ? {
        ...shared,
        type: 'better-sqlite3',
        driver: betterSqlite3,
        database: url.slice('sqlite:'.length),
        entities: webhookEntities('sqlite', { tablePrefix }),
        enableWAL: true,
      }
    : { ...shared, type: 'mysql', url, timezone: 'Z', entities: webhookEntities('mysql', { tablePrefix }) };
}

@Controller('orders')
class OrdersController {
  @Get()
  list() {
    return { orders: [] };
  }

  @Post()
  create() {
    throw new HttpException('no order', 418);
  }
}

/** The host's own error format. */
@Catch()
class HostFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const status = error instanceof HttpException ? error.getStatus() : 500;
    this.host.httpAdapter.reply(host.switchToHttp().getResponse(), { host_error: status }, status);
  }
}

/** The host's own authentication: it trusts the `x-user` header. */
class HostGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest();
    request.user = request.headers['x-user'];
    return request.headers['x-user'] !== 'banned';
  }
}

export interface Host {
  app: INestApplication;
  /** With the prefix `/api`. */
  url: string;
  /** @param path after `/api`. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
}

export interface HostOptions {
  adapter: 'Express' | 'Fastify';
  database: DynamicModule;
  webhooks: DynamicModule;
  /** @default none */
  imports?: DynamicModule[];
  providers?: DynamicModule['providers'];
  /** @default none */
  logger?: LoggerService | false;
}

/** A host application with its own prefix, versions, guard and filter, next to the webhooks. */
export async function startHost({
  adapter,
  database,
  webhooks,
  imports = [],
  providers = [],
  logger = false,
}: HostOptions): Promise<Host> {
  @Module({
    imports: [EventEmitterModule.forRoot(), database, webhooks, ...imports],
    controllers: [OrdersController],
    providers: [
      { provide: APP_FILTER, useClass: HostFilter },
      { provide: APP_GUARD, useClass: HostGuard },
      ...providers,
    ],
  })
  class HostModule {}
  const http = adapter === 'Express' ? new ExpressAdapter() : new FastifyAdapter();
  const app = await NestFactory.create(HostModule, http, {
    logger,
    rawBody: true,
    abortOnError: false,
  });
  app.setGlobalPrefix('api');
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
  try {
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  const url = `${(await app.getUrl()).replace('[::1]', '127.0.0.1')}/api`;
  return {
    app,
    url,
    call: (method, path, body, options) => call(url + path, method, body, { key: null, ...options }),
  };
}
