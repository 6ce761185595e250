import { NestFactory } from '@nestjs/core';
import { AppModule, addDocs } from './app.module.js';

const app = await NestFactory.create(AppModule);
addDocs(app);
// So that deliveries under way are finished, and the others given back, before the process ends.
app.enableShutdownHooks();
await app.listen(3000, '127.0.0.1');
