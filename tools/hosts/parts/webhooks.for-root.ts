import { type IncomingRequest, WebhookModule } from 'webhook-notification-service';

export const webhooks = WebhookModule.forRoot({
  isGlobal: true,
  principal: ({ headers }: IncomingRequest) =>
    headers['x-user'] ? { userId: String(headers['x-user']) } : null,
  encryptionKeys: process.env.ENCRYPTION_KEYS ?? '',
  egress: { allowPrivateNetwork: true },
});
