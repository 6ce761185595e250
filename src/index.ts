export { webhookMigrations } from '../migrations/index.js';
export type { Authenticator, IncomingRequest } from './auth/authenticator.js';
export type { Clock } from './common/clock.js';
export type { Page } from './common/cursor.js';
export type { Principal, Scope } from './common/principal.js';
export { type FieldError, Problem } from './common/problem.js';
export type { VaultKey } from './common/vault.js';
export type { DeliveryConfig, EgressConfig } from './config/config.js';
export type { Settings } from './config/settings.js';
export { webhookEntities } from './database/entities.js';
export type { AttemptError, AttemptErrorCode } from './delivery/transport.js';
export type { WebhookDisabled } from './delivery/webhook-health.js';
export { EventEntity } from './event/event.entity.js';
export { EventService } from './event/event.service.js';
export type {
  Analysis,
  AnalysisFinished,
  AnalysisRecord,
  LifecycleEvents,
  RecordEvent,
} from './lifecycle/lifecycle-events.js';
export { LifecyclePublisher } from './lifecycle/lifecycle-publisher.js';
export { type AcceptedNotification, NotifierService } from './notifier/notifier.service.js';
export { AttemptEntity } from './trigger/attempt.entity.js';
export { TriggerEntity, type TriggerStatus } from './trigger/trigger.entity.js';
export { TriggerService, type TriggerView } from './trigger/trigger.service.js';
export { type DisabledReason, WebhookEntity } from './webhook/webhook.entity.js';
export { type Webhook, WebhookService } from './webhook/webhook.service.js';
export { type RecoveryRequest, WebhookRecovery } from './webhook/webhook-recovery.service.js';
export { type RotatedSecret, WebhookSecrets } from './webhook/webhook-secrets.service.js';
export { WebhookModule, type WebhookModuleOptions } from './webhook.module.js';
