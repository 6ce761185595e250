import { randomUUID } from 'node:crypto';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { DataSource } from 'typeorm';
import type { LifecycleEvents } from 'webhook-notification-service';
import { Invoice } from './invoice.entity.js';

const CENTS_PER_ANALYSIS = 200;

@Injectable()
export class InvoicesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly emitter: EventEmitter2,
  ) {}

  issue(userId: string, analyses: number): Promise<Invoice> {
    const totalCents = analyses * CENTS_PER_ANALYSIS;
    const invoice = { id: randomUUID(), userId, analyses, totalCents, paidAt: null };
    return this.dataSource.manager.save(Invoice, invoice);
  }

  async pay(id: string): Promise<Invoice> {
    const invoice = await this.dataSource.transaction(async (manager) => {
      const found = await manager.findOneBy(Invoice, { id });
      if (!found) throw new NotFoundException();
      if (found.paidAt) throw new ConflictException('The invoice is paid already.');
      return manager.save(Invoice, { ...found, paidAt: new Date().toISOString() });
    });
    // After the commit, because what is emitted is stored on its own. Awaited, because only then is it stored.
    await this.emitter.emitAsync('invoice.paid', paid(invoice));
    return invoice;
  }
}

/** `emitAsync` takes anything: the type of what is returned here is what the compiler checks. */
function paid({ id, userId, analyses, totalCents, paidAt }: Invoice): LifecycleEvents['invoice.paid'] {
  return { user_id: userId, record: { id, analyses, total_cents: totalCents, paid_at: paidAt ?? '' } };
}
