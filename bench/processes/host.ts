import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { ExpressAdapter } from '@nestjs/platform-express';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookModule, webhookDatabase } from '../../src/index.js';
import { serveCommands } from '../support/commands.js';
import { recordOf } from '../support/record.js';
import { now } from '../support/stats.js';

@Controller('ping')
class PingController {
  @Get()
  ping() {
    return { pong: true };
  }
}

@Module({
  imports: [
    EventEmitterModule.forRoot(),
    TypeOrmModule.forRootAsync(webhookDatabase(process.env.DATABASE_URL ?? '')),
    WebhookModule.forRoot({
      routes: false,
      encryptionKeys: process.env.ENCRYPTION_KEYS ?? '',
      egress: { allowPrivateNetwork: true },
    }),
  ],
  controllers: [PingController],
})
class HostModule {}

const app = await NestFactory.create(HostModule, new ExpressAdapter(), { logger: ['error'] });
await app.listen(0, '127.0.0.1');
const emitter = app.get(EventEmitter2);

const delay = monitorEventLoopDelay({ resolution: 1 });

serveCommands({
  async url() {
    return (await app.getUrl()).replace('[::1]', '127.0.0.1');
  },

  /** Emits all events at once and waits until they are stored. @returns how long that took, in milliseconds. */
  async burst({ count, userId }: { count: number; userId: string }) {
    // Created up front, so the cost of creating them is not measured.
    const events = Array.from({ length: count }, (_, number) => ({
      user_id: userId,
      record: recordOf(number),
      analysis_id: 'ana_1',
    }));
    delay.enable();
    delay.reset();
    const begin = now();
    const stored = events.map((event) => emitter.emitAsync('analysis.finished', event));
    const emitted = now() - begin;
    await Promise.all(stored);
    return emitted;
  },

  /** @returns the longest stall of the event loop since the burst began, in milliseconds. */
  async longest() {
    delay.disable();
    return delay.max / 1e6;
  },
});
