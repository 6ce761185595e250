import { type INestApplication, Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { TypeOrmModule } from '@nestjs/typeorm';
import { addWebhookDocs, WebhookModule } from 'webhook-notification-service';
import { ALLOW_PRIVATE_NETWORK, ENCRYPTION_KEYS } from './config.js';
import { databaseOptions } from './database.js';
import { RecordsController } from './records/records.controller.js';
import { RecordsService } from './records/records.service.js';
import { UserGuard } from './user.guard.js';
import { WebhookAudit } from './webhook-audit.js';

@Module({
  imports: [
    EventEmitterModule.forRoot(),
    TypeOrmModule.forRoot(databaseOptions),
    WebhookModule.forRoot({
      prefix: 'integrations',
      guards: [UserGuard],
      principal: ({ user }) => (typeof user === 'string' ? { userId: user } : null),
      encryptionKeys: ENCRYPTION_KEYS,
      egress: { allowPrivateNetwork: ALLOW_PRIVATE_NETWORK === 'true' },
    }),
  ],
  controllers: [RecordsController],
  providers: [RecordsService, UserGuard, WebhookAudit],
})
export class AppModule {}

/** Serves the API documentation under /docs and /docs-json. */
export function addDocs(app: INestApplication): void {
  const config = new DocumentBuilder().setTitle('Antifraud').setOpenAPIVersion('3.1.0').addBearerAuth();
  SwaggerModule.setup('docs', app, () =>
    addWebhookDocs(app, SwaggerModule.createDocument(app, config.build())),
  );
}
