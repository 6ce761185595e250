import { ConfigModule, ConfigService } from '@nestjs/config';
import { type IncomingRequest, WebhookModule } from 'webhook-notification-service';

export const webhooks = WebhookModule.forRootAsync({
  isGlobal: true,
  principal: ({ headers }: IncomingRequest) =>
    headers['x-user'] ? { userId: String(headers['x-user']) } : null,
  imports: [ConfigModule.forRoot()],
  inject: [ConfigService],
  useFactory: (config: ConfigService) => ({
    encryptionKeys: config.getOrThrow<string>('ENCRYPTION_KEYS'),
    egress: { allowPrivateNetwork: true },
  }),
});
