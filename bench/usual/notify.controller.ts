import { randomBytes } from 'node:crypto';
import { InjectQueue } from '@nestjs/bullmq';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Queue } from 'bullmq';
import { Repository } from 'typeorm';
import type { DeliveryJob } from './delivery.processor.js';
import { WebhookEntity } from './entities.js';

interface NotifyBody {
  event_kind: string;
  user_id: string;
  analysis_id: string;
  record: { analysis: { id: string }[] };
}

@Controller('notify')
export class NotifyController {
  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>,
    @InjectQueue('delivery') private readonly queue: Queue<DeliveryJob>,
  ) {}

  @Post()
  @HttpCode(202)
  async notify(@Body() { event_kind, user_id, analysis_id, record }: NotifyBody) {
    const webhooks = await this.webhooks.findBy({ userId: user_id, eventKind: event_kind, enabled: true });
    const notificationId = `msg_${randomBytes(12).toString('hex')}`;
    const body = JSON.stringify({
      data: { ...record, analysis: record.analysis.filter(({ id }) => id === analysis_id) },
      triggered_at: new Date().toISOString(),
      event_kind,
    });
    const jobs = webhooks.map(({ id, url, secret }) => ({
      name: 'deliver',
      data: { notificationId, webhookId: id, url, secret, body },
    }));
    await this.queue.addBulk(jobs);
    return { id: notificationId, triggers: webhooks.map(({ id }) => ({ webhook_id: id })) };
  }
}
