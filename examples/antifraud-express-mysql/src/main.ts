import { NestFactory } from '@nestjs/core';
import { AppModule, addDocs } from './app.module.js';

const app = await NestFactory.create(AppModule);
addDocs(app);
// Before the process ends, deliveries under way finish and the others are released.
app.enableShutdownHooks();
await app.listen(3000, '127.0.0.1');
