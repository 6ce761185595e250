import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CustomerOrder } from './customer-order.js';
import { database } from './database.js';
import { OrderWatcher } from './order-watcher.js';
import { OrdersController } from './orders.controller.js';
import { surroundings } from './surroundings.js';
import { webhooks } from './webhooks.js';

@Module({
  imports: [
    EventEmitterModule.forRoot(),
    database,
    TypeOrmModule.forFeature([CustomerOrder]),
    ...surroundings.imports,
    webhooks,
  ],
  controllers: [OrdersController],
  providers: [OrderWatcher, ...surroundings.providers],
})
export class AppModule implements OnApplicationShutdown {
  onApplicationShutdown(signal?: string): void {
    console.log(`closed after ${signal}`);
  }
}
