import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WebhookModule, webhookDatabase } from 'webhook-notification-service';
import { AppConfig, AppConfigModule, DATABASE_URL } from './app-config.js';
import { Invoice } from './invoice.entity.js';
import { INVOICE_PAID } from './invoice-kind.js';
import { InvoicesController } from './invoices.controller.js';
import { InvoicesService } from './invoices.service.js';
import { CreateInvoice1795305600000 } from './migrations/1795305600000-CreateInvoice.js';

@Module({
  imports: [
    EventEmitterModule.forRoot(),
    TypeOrmModule.forRootAsync(
      webhookDatabase(DATABASE_URL, { entities: [Invoice], migrations: [CreateInvoice1795305600000] }),
    ),
    WebhookModule.forRootAsync({
      // The application creates webhooks itself, with WebhookService.
      routes: false,
      imports: [AppConfigModule],
      inject: [AppConfig],
      useFactory: ({ encryptionKeys, allowPrivateNetwork }: AppConfig) => ({
        encryptionKeys,
        egress: { allowPrivateNetwork },
        eventKinds: { INVOICE_PAID },
      }),
    }),
  ],
  controllers: [InvoicesController],
  providers: [InvoicesService],
})
export class AppModule {}
