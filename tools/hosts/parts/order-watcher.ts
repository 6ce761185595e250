import { Injectable } from '@nestjs/common';
import { OnWebhookEvent, type TriggerSettled } from 'webhook-notification-service';
import { surroundings } from './surroundings.js';

/** Says for whom the application works when it is told of a delivery. */
@Injectable()
export class OrderWatcher {
  @OnWebhookEvent('trigger.succeeded')
  onSucceeded({ trigger_id }: TriggerSettled): void {
    console.log(`delivered ${trigger_id} for ${surroundings.context()}`);
  }
}
