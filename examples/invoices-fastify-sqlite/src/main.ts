import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter());
// So that deliveries under way are finished, and the others requeued, before the process ends.
app.enableShutdownHooks();
await app.listen(3000, '127.0.0.1');
