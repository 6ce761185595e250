import { createHmac } from 'node:crypto';
import { HttpService } from '@nestjs/axios';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { InjectRepository } from '@nestjs/typeorm';
import type { Job } from 'bullmq';
import { firstValueFrom } from 'rxjs';
import { Repository } from 'typeorm';
import { AttemptEntity } from './entities.js';

export interface DeliveryJob {
  notificationId: string;
  webhookId: string;
  url: string;
  secret: string;
  body: string;
}

@Processor('delivery', { concurrency: 100 })
export class DeliveryProcessor extends WorkerHost {
  constructor(
    private readonly http: HttpService,
    @InjectRepository(AttemptEntity) private readonly attempts: Repository<AttemptEntity>,
  ) {
    super();
  }

  async process({ data, attemptsMade }: Job<DeliveryJob>): Promise<void> {
    const beginAt = Date.now();
    const response = await firstValueFrom(
      this.http.post<string>(data.url, data.body, {
        headers: headersOf(data, Math.floor(beginAt / 1000)),
        responseType: 'text',
        validateStatus: () => true,
      }),
    );
    await this.attempts.save({
      notificationId: data.notificationId,
      webhookId: data.webhookId,
      number: attemptsMade + 1,
      beginAt,
      endAt: Date.now(),
      responseStatus: response.status,
      responseBody: response.data,
    });
    if (response.status >= 300) throw new Error(`Answered ${response.status}`);
  }
}

function headersOf({ notificationId, secret, body }: DeliveryJob, timestamp: number) {
  const signed = `${notificationId}.${timestamp}.${body}`;
  return {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': notificationId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
  };
}
