export { webhookMigrations } from '../migrations/index.js';
export type { ApiKey, CreatedApiKey } from './auth/api-key.js';
export { type ApiKeyQuery, ApiKeyService, type NewApiKey } from './auth/api-key.service.js';
export type { IncomingRequest } from './auth/authenticator.js';
export type { HostCaller, HostPrincipal } from './auth/host-authenticator.js';
export type { HostGuard } from './auth/host-guards.js';
export type { AcceptedTrigger } from './engine/accept/acceptor.js';
export type { SkipReason } from './engine/accept/decision-set.js';
export type { Filter, FilterValue } from './engine/filter/filter.js';
export type { HealthState } from './engine/health/shown-state.js';
export { DeliveryMetrics as WebhookMetrics } from './engine/metrics/delivery-metrics.js';
export type { RetryRefusal } from './engine/replay/retry.repository.js';
export {
  type AttemptFailed,
  OnWebhookEvent,
  type TriggerFailed,
  type TriggerRecovered,
  type TriggerSettled,
  type WebhookDisabled,
  type WebhookEvents,
  type WebhookFailing,
} from './engine/report/on-webhook-event.js';
export type {
  BasicAuthentication,
  BearerAuthentication,
  OAuth2Authentication,
  WebhookAuthentication,
  WebhookAuthenticationInput,
} from './engine/webhook/authentication.js';
export type { OperationalKind } from './engine/webhook/operational-kind.js';
export type { WebhookTls, WebhookTlsInput } from './engine/webhook/webhook-tls.js';
export { EventService, type NewWebhookEvent, type WebhookEventChange } from './event/event.service.js';
export type { HostEventKind, HostEventKinds, WebhookEventKind } from './event/event-kinds.js';
export type { FilterTest } from './event/filter-test.js';
export type { EventKind } from './event/payload-docs.js';
export type { WebhookEvent } from './event/webhook-event.js';
export type { WebhookModuleStructure } from './module/structural-options.js';
export { WebhookModule } from './module/webhook.module.js';
export type { WebhookModuleAsyncOptions, WebhookModuleLateOptions } from './module/webhook-async-options.js';
export type { WebhookEventKinds, WebhookModuleOptions } from './module/webhook-options.js';
export type {
  AttemptError,
  AttemptErrorCode,
  AttemptErrorDetail,
  CertificateFacts,
} from './network/attempt-error.js';
export type { AttemptPhase, AttemptPhases } from './network/phase-clock.js';
export type { ClientTls, NamedTls } from './network/tls/client-tls.js';
export {
  type Exchange,
  type OutgoingRequest,
  type ReceivedResponse,
  TRANSPORT as WEBHOOK_TRANSPORT,
  type Transport,
} from './network/transport/transport.js';
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
export { IntakeHandler, type IntakeOutcome, type IntakeRefusal } from './notifier/intake/intake-handler.js';
export type { IntakeMessage } from './notifier/intake/message.js';
export type {
  Analysis,
  AnalysisFinished,
  AnalysisRecord,
  LifecycleEvents,
  RecordEvent,
} from './notifier/lifecycle/lifecycle-events.js';
export { LifecyclePublisher } from './notifier/lifecycle/lifecycle-publisher.js';
export { NotifierService, type WebhookTest } from './notifier/notifier.service.js';
export type { NotifyOptions } from './notifier/notify-options.js';
export type { Owner } from './platform/access/owner.js';
export type { Scope } from './platform/access/scope.js';
export { CLOCK as WEBHOOK_CLOCK, type Clock } from './platform/clock.js';
export { ConfigError } from './platform/config/config-error.js';
export type {
  DeliveryConfig,
  EgressConfig,
  IntakeConfig,
  RetentionConfig,
  Settings,
} from './platform/config/settings.js';
export { type FieldError, Problem } from './platform/problem.js';
export type { VaultKey } from './platform/secret/vault.js';
export type { Page } from './rest/cursor.js';
export type { Deleted } from './rest/deleted.js';
export type { PageQuery } from './rest/input.js';
export { ProblemFilter as WebhookProblemFilter } from './rest/problem.filter.js';
export { addWebhookDocs } from './service/openapi/webhook-docs.js';
export type { StatisticsQuery } from './statistics/dto/statistics-query.js';
export type { AttemptCounts, Statistics, StatisticsStep } from './statistics/statistics.js';
export { StatisticsService } from './statistics/statistics.service.js';
export type { WebhookConnectionOptions } from './store/schema/connection-options.js';
export type { DatabaseTls } from './store/schema/database-tls.js';
export { type WebhookEntitiesOptions, webhookEntities } from './store/schema/entities.js';
export { webhookDatabase } from './store/schema/webhook-database.js';
export type {
  WebhookDatabaseAsyncOptions,
  WebhookDatabaseLateOptions,
  WebhookDatabaseOptions,
} from './store/schema/webhook-database-options.js';
export type { StatisticStep } from './store/tables/statistic.entity.js';
export type { AttemptCause, TriggerStatus } from './store/tables/trigger/trigger.entity.js';
export type { RecoveryState } from './store/tables/webhook/recovery.entity.js';
export type { DisabledReason } from './store/tables/webhook/webhook.entity.js';
export type { Attempt, ResponseData } from './trigger/attempt/attempt.js';
export type { Diagnosis } from './trigger/attempt/diagnosis/diagnosis.js';
export type { AttemptQuery, TriggerQuery } from './trigger/dto/trigger-query.js';
export type { RetriedTriggers, SkippedTrigger } from './trigger/retry/trigger-retry.service.js';
export type { RequestData, Trigger, TriggerDetail, TriggerError } from './trigger/trigger.js';
export { TriggerService } from './trigger/trigger.service.js';
export type { WebhookHealth } from './webhook/health/webhook-health.js';
export type { NewWebhook, WebhookChange } from './webhook/new-webhook.js';
export type { Recovery, RecoveryQuery, RecoveryRequest } from './webhook/recovery/recovery.js';
export { WebhookRecovery } from './webhook/recovery/webhook-recovery.service.js';
export type { RotatedSecret, SecretRotation, WebhookSecret } from './webhook/secret/webhook-secret.js';
export { WebhookSecrets } from './webhook/secret/webhook-secrets.service.js';
export type { CreatedWebhook, StoredWebhook, Webhook } from './webhook/webhook.js';
export { type WebhookQuery, WebhookService } from './webhook/webhook.service.js';
