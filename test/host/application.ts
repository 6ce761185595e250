import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { WebhookModule, type WebhookModuleOptions, type WebhookModuleStructure } from '../../src/index.js';
import { HOST_KEYS, hostDataSource } from '../support/host.js';

export type Imported = DynamicModule | Type;

/** Options without a mistake, of a process that sends nothing. */
export const valid = { encryptionKeys: HOST_KEYS, role: 'api' } as const;

/** The parts of an application, whose webhooks may be on this machine. */
export const emitter = () => EventEmitterModule.forRoot();
export const database = (change: object = {}) =>
  TypeOrmModule.forRoot({ ...hostDataSource('sqlite::memory:'), ...change } as TypeOrmModuleOptions);
export const webhookModule = (options: Partial<WebhookModuleOptions & WebhookModuleStructure> = {}) =>
  WebhookModule.forRoot({ encryptionKeys: HOST_KEYS, egress: { allowPrivateNetwork: true }, ...options });

const SILENT = { log() {}, warn() {}, error() {} };

/** Assembles an application, and hands it over before its start. */
export async function assembled<T>(imports: Imported[], use: (app: TestingModule) => T): Promise<Awaited<T>> {
  const app = await Test.createTestingModule({ imports }).setLogger(SILENT).compile();
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}

/** Starts an application without a server. */
export const context = (...imports: Imported[]) =>
  NestFactory.createApplicationContext(
    { module: class HostModule {}, imports: [emitter(), ...imports] },
    { logger: false, abortOnError: false },
  );

/** Starts an application with these modules, and ends it. */
export const start = (...imports: Imported[]) => assembled([emitter(), ...imports], (app) => app.init());
