import { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { HttpModule } from '@nestjs/axios';
import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { ConnectionOptions } from 'bullmq';
import { DeliveryProcessor } from './delivery.processor.js';
import { AttemptEntity, WebhookEntity } from './entities.js';
import { NotifyController } from './notify.controller.js';

const { DATABASE_URL, REDIS_URL = '', QUEUE_PREFIX = '', ROLE, PORT } = process.env;

/** BullMQ's Redis client is a separate, optional package. */
const Redis = createRequire(import.meta.url)('ioredis') as new (url: string, options: object) => object;
const connection = new Redis(REDIS_URL, { maxRetriesPerRequest: null }) as ConnectionOptions;

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'mysql',
      url: DATABASE_URL,
      entities: [WebhookEntity, AttemptEntity],
      synchronize: true,
    }),
    TypeOrmModule.forFeature([WebhookEntity, AttemptEntity]),
    BullModule.forRoot({ connection, prefix: QUEUE_PREFIX }),
    BullModule.registerQueue({
      name: 'delivery',
      defaultJobOptions: {
        attempts: 8,
        backoff: { type: 'exponential', delay: 5000 },
        removeOnComplete: true,
      },
    }),
    HttpModule.register({ timeout: 15_000, httpAgent: new Agent({ keepAlive: true }) }),
  ],
  controllers: [NotifyController],
  providers: ROLE === 'api' ? [] : [DeliveryProcessor],
})
class UsualModule {}

const app = await NestFactory.create<NestFastifyApplication>(UsualModule, new FastifyAdapter(), {
  logger: ['error', 'warn'],
});
app.enableShutdownHooks();
app
  .getHttpAdapter()
  .getInstance()
  .get('/health', async () => 'ok');
await app.listen(Number(PORT), '127.0.0.1');
