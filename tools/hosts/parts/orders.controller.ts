import { Body, Controller, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { LifecyclePublisher } from 'webhook-notification-service';
import { CustomerOrder } from './customer-order.js';

@Controller('orders')
export class OrdersController {
  constructor(
    @InjectRepository(CustomerOrder) private readonly orders: Repository<CustomerOrder>,
    private readonly lifecycle: LifecyclePublisher,
  ) {}

  @Post()
  async finish(@Body() { id }: { id: string }) {
    await this.orders.insert({ id, status: 'finished' });
    await this.lifecycle.publish('record.finished', { user_id: 'ada', record: { id, analysis: [] } });
    return { id };
  }
}
