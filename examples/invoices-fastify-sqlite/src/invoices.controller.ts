import { Body, Controller, Param, Post } from '@nestjs/common';
import type { Invoice } from './invoice.entity.js';
import { InvoicesService } from './invoices.service.js';

@Controller('invoices')
export class InvoicesController {
  constructor(private readonly invoices: InvoicesService) {}

  @Post()
  issue(@Body() { user_id, analyses }: { user_id: string; analyses: number }): Promise<Invoice> {
    return this.invoices.issue(user_id, analyses);
  }

  @Post(':id/payment')
  pay(@Param('id') id: string): Promise<Invoice> {
    return this.invoices.pay(id);
  }
}
