import type { HostEventKind, HostEventKinds } from 'webhook-notification-service';

/** The `data` that receivers get when an invoice is paid. */
export interface PaidInvoice {
  id: string;
  /** The number of analyses on the invoice. */
  analyses: number;
  total_cents: number;
  paid_at: string;
}

declare module 'webhook-notification-service' {
  interface HostEventKinds {
    INVOICE_PAID: { event: 'invoice.paid'; record: PaidInvoice };
  }
}

export const INVOICE_PAID: HostEventKind<HostEventKinds['INVOICE_PAID']> = {
  event: 'invoice.paid',
  description: 'An invoice for analyses was paid.',
  schema: {
    type: 'object',
    required: ['id', 'analyses', 'total_cents', 'paid_at'],
    properties: {
      id: { type: 'string' },
      analyses: { type: 'integer', minimum: 1 },
      total_cents: { type: 'integer', minimum: 0 },
      paid_at: { type: 'string', format: 'date-time' },
    },
  },
  example: { id: 'inv_1', analyses: 20, total_cents: 4000, paid_at: '2026-11-21T10:15:30.123Z' },
};
