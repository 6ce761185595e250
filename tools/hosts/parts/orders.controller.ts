import { Body, Controller, Get, Logger, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { LifecyclePublisher, NotifierService } from 'webhook-notification-service';
import { CustomerOrder } from './customer-order.js';
import { surroundings } from './surroundings.js';

const finished = (id: string) => ({ user_id: 'ada', record: { id, analysis: [] } });

@Controller('orders')
export class OrdersController {
  private readonly logger = new Logger('Orders');

  constructor(
    @InjectRepository(CustomerOrder) private readonly orders: Repository<CustomerOrder>,
    private readonly dataSource: DataSource,
    private readonly lifecycle: LifecyclePublisher,
    private readonly notifier: NotifierService,
  ) {}

  /** Tells what is in force here. */
  @Get('surroundings')
  surroundings() {
    this.logger.log('asked');
    return {
      at: process.hrtime.bigint().toString(),
      frozen: Object.isFrozen(Object.prototype),
      patched: 'toJSON' in BigInt.prototype,
    };
  }

  @Post()
  async finish(@Body() { id }: { id: string }) {
    await this.orders.insert({ id, status: 'finished' });
    await this.lifecycle.publish('record.finished', finished(id));
    return { id };
  }

  /**
   * Both or neither, and neither of what fails. What is said beside the transaction is sent whatever becomes of that; one with
   * the only connection may not wait for it.
   */
  @Post('atomically')
  async finishAtomically(@Body() { id, fails }: { id: string; fails: boolean }) {
    const beside: Promise<unknown>[] = [];
    const finishing = surroundings.inTransaction(this.dataSource, async (manager) => {
      await manager.insert(CustomerOrder, { id, status: 'finished' });
      await this.notifier.notify('record.finished', finished(id), { manager });
      beside.push(this.lifecycle.publish('record.finished', finished(`beside_${id}`)));
      if (this.dataSource.options.type !== 'better-sqlite3') await Promise.all(beside);
      if (fails) throw new Error('taken back');
    });
    await finishing.catch((error: Error) => {
      if (error.message !== 'taken back') throw error;
    });
    await Promise.all(beside);
    return { id };
  }
}
