export { webhookMigrations } from '../migrations/index.js';
export type { ApiKey, CreatedApiKey } from './auth/api-key.js';
export { type ApiKeyQuery, ApiKeyService, type NewApiKey } from './auth/api-key.service.js';
export type { IncomingRequest } from './auth/authenticator.js';
export type { HostCaller, HostPrincipal } from './auth/host-authenticator.js';
export type { HostGuard } from './auth/host-guards.js';
export { CLOCK as WEBHOOK_CLOCK, type Clock } from './common/clock.js';
export { type FieldError, Problem } from './common/problem.js';
export type { VaultKey } from './common/secret/vault.js';
export { ConfigError } from './config/config-error.js';
export type {
  DeliveryConfig,
  EgressConfig,
  IntakeConfig,
  RetentionConfig,
  Settings,
} from './config/settings.js';
export type { AcceptedTrigger } from './delivery/accept/intake.js';
export { DeliveryMetrics as WebhookMetrics } from './delivery/report/delivery-metrics.js';
export {
  type AttemptFailed,
  OnWebhookEvent,
  type TriggerFailed,
  type TriggerRecovered,
  type TriggerSettled,
  type WebhookDisabled,
  type WebhookEvents,
  type WebhookFailing,
} from './delivery/report/webhook-events.js';
export type {
  AttemptError,
  AttemptErrorCode,
  AttemptErrorDetail,
  CertificateFacts,
} from './egress/attempt-error.js';
export type { ClientTls, NamedTls } from './egress/client-tls.js';
export type { AttemptPhase, AttemptPhases } from './egress/phase-clock.js';
export { EventService, type NewWebhookEvent, type WebhookEventChange } from './event/event.service.js';
export type { HostEventKind, HostEventKinds, WebhookEventKind } from './event/event-kinds.js';
export type { Filter, FilterValue } from './event/filter/filter.js';
export type { FilterTest } from './event/filter/filter-test.js';
export type { OperationalKind } from './event/operational-kinds.js';
export type { EventKind } from './event/payload-docs.js';
export type { WebhookEvent } from './event/webhook-event.js';
export { IntakeHandler, type IntakeOutcome, type IntakeRefusal } from './intake/intake-handler.js';
export type { IntakeMessage } from './intake/message.js';
export type {
  Analysis,
  AnalysisFinished,
  AnalysisRecord,
  LifecycleEvents,
  RecordEvent,
} from './lifecycle/lifecycle-events.js';
export { LifecyclePublisher } from './lifecycle/lifecycle-publisher.js';
export type { Erased } from './notification/dto/erasure.dto.js';
export type { NotificationQuery } from './notification/dto/notification-query.js';
export type {
  DecisionOutcome,
  Notification,
  NotificationDecision,
  NotificationDetail,
  TriggerCounts,
} from './notification/notification.js';
export { NotificationService } from './notification/notification.service.js';
export { type ErasureRequest, NotificationErasure } from './notification/notification-erasure.service.js';
export type { AcceptedNotification } from './notifier/accepted-notification.js';
export { NotifierService, type WebhookTest } from './notifier/notifier.service.js';
export type { NotifyOptions } from './notifier/notify-options.js';
export { addWebhookDocs } from './openapi/webhook-docs.js';
export type { Page } from './rest/cursor.js';
export type { Deleted } from './rest/deleted.js';
export type { PageQuery } from './rest/input.js';
export type { Owner, Scope } from './rest/principal.js';
export { ProblemFilter as WebhookProblemFilter } from './rest/problem.filter.js';
export type { WebhookConnectionOptions } from './schema/connection-options.js';
export type { DatabaseTls } from './schema/database-tls.js';
export { type WebhookEntitiesOptions, webhookEntities } from './schema/entities.js';
export { webhookDatabase } from './schema/webhook-database.js';
export type {
  WebhookDatabaseAsyncOptions,
  WebhookDatabaseLateOptions,
  WebhookDatabaseOptions,
} from './schema/webhook-database-options.js';
export type { StatisticsQuery } from './statistics/dto/statistics-query.js';
export type { StatisticStep } from './statistics/statistic.entity.js';
export type { AttemptCounts, Statistics, StatisticsStep } from './statistics/statistics.js';
export { StatisticsService } from './statistics/statistics.service.js';
export {
  type Exchange,
  type OutgoingRequest,
  type ReceivedResponse,
  TRANSPORT as WEBHOOK_TRANSPORT,
  type Transport,
} from './transport/transport.js';
export type { Attempt, ResponseData } from './trigger/attempt/attempt.js';
export type { Diagnosis } from './trigger/attempt/diagnosis/diagnosis.js';
export type { SkipReason } from './trigger/decision-set.js';
export type { AttemptQuery, TriggerQuery } from './trigger/dto/trigger-query.js';
export type { RetryRefusal } from './trigger/retry/retry.repository.js';
export type { RetriedTriggers, SkippedTrigger } from './trigger/retry/trigger-retry.service.js';
export type { AttemptCause, TriggerStatus } from './trigger/trigger.entity.js';
export type { RequestData, Trigger, TriggerDetail, TriggerError } from './trigger/trigger.js';
export { TriggerService } from './trigger/trigger.service.js';
export type {
  BasicAuthentication,
  BearerAuthentication,
  OAuth2Authentication,
  WebhookAuthentication,
  WebhookAuthenticationInput,
} from './webhook/authentication/authentication.js';
export type { WebhookTls, WebhookTlsInput } from './webhook/authentication/webhook-tls.js';
export type { NewWebhook, WebhookChange } from './webhook/new-webhook.js';
export type { RecoveryState } from './webhook/recovery/recovery.entity.js';
export type { Recovery, RecoveryQuery, RecoveryRequest } from './webhook/recovery/recovery.js';
export { WebhookRecovery } from './webhook/recovery/webhook-recovery.service.js';
export type { RotatedSecret, SecretRotation, WebhookSecret } from './webhook/secret/webhook-secret.js';
export { WebhookSecrets } from './webhook/secret/webhook-secrets.service.js';
export type { DisabledReason } from './webhook/webhook.entity.js';
export type { CreatedWebhook, Webhook } from './webhook/webhook.js';
export { type WebhookQuery, WebhookService } from './webhook/webhook.service.js';
export { WebhookModule } from './webhook.module.js';
export type { WebhookModuleAsyncOptions, WebhookModuleLateOptions } from './webhook-async-options.js';
export type { WebhookEventKinds, WebhookModuleOptions } from './webhook-options.js';
export type { WebhookModuleStructure } from './webhook-structure.js';
