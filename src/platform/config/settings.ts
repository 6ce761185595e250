import { z } from 'zod';
import { userId } from '../line.js';
import { bounded, flag, fraction, oneOf, parsed, wholeNumber } from './fields.js';
import { readIntakeUrl } from './intake-url.js';
import { readNetwork } from './network.js';
import { readProxyUrl } from './proxy-url.js';

const MAX_CALLS = 100_000_000;
const RETRY_SCHEDULE_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
export const MAX_PAUSES = 50;
/** A week. */
export const MAX_PAUSE_MS = 604_800_000;
export const MIN_TIMEOUT_MS = 1000;
export const MAX_TIMEOUT_MS = 30_000;
export const MAX_WEBHOOK_CONCURRENCY = 1000;

const MAX_DAYS = 36_500;
export const PAYLOAD_DAYS = 30;

const days = (fallback: number) => fraction(0, MAX_DAYS, fallback, 'days');
/** Ten years. */
const MAX_HOURS = 87_600;

const INSTANCE_NAME = 'must be 1 to 64 visible ASCII characters';

export const networks = z.array(parsed(readNetwork)).default([]);

const egress = {
  /** False: `https` only. */
  allowHttp: flag.default(true),
  /** True lifts the address policy. The service lifts it outside production. */
  allowPrivateNetwork: flag.default(false),
  /** CIDR blocks that the address policy lets through. */
  allowedNetworks: networks,
  /** HTTP proxy for every connection to a receiver. It then decides where they may go. Null for none. */
  proxy: parsed(readProxyUrl).nullable().default(null),
};

const delivery = {
  /** The HTTP client. */
  transport: oneOf(['undici', 'axios'], 'undici'),
  /** Deadline of one attempt, from DNS to the last byte, in milliseconds. */
  timeoutMs: bounded(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS, 15_000),
  /** Pauses before the second, third … attempt, in milliseconds, before jitter. */
  retryScheduleMs: z
    .array(wholeNumber(0, MAX_PAUSE_MS))
    .min(1, { error: 'must have a pause' })
    .max(MAX_PAUSES, { error: `must have ${MAX_PAUSES} pauses at most` })
    .default(RETRY_SCHEDULE_SECONDS.map((seconds) => seconds * 1000)),
  /** Attempts in flight at once in this process. */
  concurrency: bounded(1, 10_000, 256),
  /** Attempts in flight at once to one webhook, in this process. */
  webhookConcurrency: bounded(1, MAX_WEBHOOK_CONCURRENCY, 10),
  /**
   * Hours without a success, from the first failure, after which a webhook is disabled as `failing`, if there was a failure
   * in each quarter of them; 0 is never.
   */
  failingDisableHours: fraction(0, MAX_HOURS, 120, 'hours'),
  /**
   * Whether deliveries yield the event loop to the rest of the process: they run in small steps, with pauses, at up to
   * some 1,500 attempts a second. The service, which has its process to itself, sets it to false.
   */
  gentle: flag.default(true),
  /**
   * After this many milliseconds without a heartbeat an instance counts as dead and its triggers are due again
   * (MySQL and MariaDB).
   */
  instanceTimeoutMs: bounded(3000, 600_000, 45_000),
  /**
   * A name that only one process has at a time, such as its host's or its pod's in a StatefulSet. A process that starts with it
   * takes over at once from the one that had it before, wherever that may be (MySQL and MariaDB). Null for none.
   */
  instanceName: z
    .string({ error: INSTANCE_NAME })
    .regex(/^[\x21-\x7e]{1,64}$/, { error: INSTANCE_NAME })
    .nullable()
    .default(null),
};

const retention = {
  /** Days after which the bodies of a finished notification go, with its requests and responses; 0 keeps them. */
  payloadDays: days(PAYLOAD_DAYS),
  /** Days after which the rows of a finished notification go; 0 keeps them for ever. */
  days: days(90),
};

const QUEUE_NAME = { error: 'must be the name of a queue: 1 to 255 bytes, not beginning with amq.' };
/** What the name of the queue for refused messages adds, unless it is given. */
export const REFUSED_SUFFIX = '.refused';
const MAX_QUEUE_NAME = 255 - REFUSED_SUFFIX.length;
const queueName = z
  .string(QUEUE_NAME)
  .refine((name) => name !== '' && Buffer.byteLength(name) <= 255 && !/^amq\./i.test(name), QUEUE_NAME);

const intake = {
  /** RabbitMQ: `amqp://user:password@host1:5672,host2:5672/vhost`. Null for no intake from a queue. */
  url: parsed(readIntakeUrl).nullable().default(null),
  /** The queue that messages are taken from. */
  queue: queueName.default('webhook.notifications'),
  /** The queue for messages that are refused. Null is the name of the queue with `.refused` behind it. */
  refusedQueue: queueName.nullable().default(null),
  /** Whether both queues are declared, as durable quorum queues. False uses them as they are. */
  declare: flag.default(true),
  /** Messages that one process may hold without having acknowledged them. */
  prefetch: bounded(1, 5000, 500),
  /** The only user whose events are taken. Null takes whatever user a message names. */
  userId: userId.nullable().default(null),
};

const shape = {
  /** `api` accepts and does not send, `worker` sends and has no API. */
  role: oneOf(['both', 'api', 'worker'], 'both'),
  /** Webhooks that one user may have. */
  webhooksPerUser: bounded(1, 1_000_000, 100),
  /** Management calls per minute and API key; 0 is no limit. */
  rateLimitPerMinute: bounded(0, MAX_CALLS, 600),
  /** Notifications per minute and API key; 0 is no limit. */
  notificationRateLimitPerMinute: bounded(0, MAX_CALLS, 0),
  /** Calls per minute and client address that may be answered 401; 0 is no limit. */
  unauthenticatedRateLimitPerMinute: bounded(0, MAX_CALLS, 600),
  /** Where a webhook may point. */
  egress: z.strictObject(egress).prefault({}),
  /** How deliveries are made. */
  delivery: z.strictObject(delivery).prefault({}),
  /** How long what happened is kept. */
  retention: z.strictObject(retention).prefault({}),
  /** Where events are taken from, besides the REST API and this process. */
  intake: z
    .strictObject(intake)
    .refine(({ queue, refusedQueue }) => queue !== refusedQueue, {
      path: ['refusedQueue'],
      error: 'must be another queue: what is refused would come back for ever',
    })
    .refine(
      ({ queue, refusedQueue }) => refusedQueue !== null || Buffer.byteLength(queue) <= MAX_QUEUE_NAME,
      {
        path: ['queue'],
        error: `must have at most ${MAX_QUEUE_NAME} bytes, because the queue for refused messages adds ${REFUSED_SUFFIX} to it; or name that one as well`,
      },
    )
    .prefault({}),
};

/** The settings that the module itself needs. Their types, defaults and bounds are declared in this file alone. */
export const settings = z.object(shape);

/** The type that `z.infer` has, which would lose the comments of the fields in the package's declarations. */
type Values<Shape extends z.ZodRawShape> = { [Key in keyof Shape]: z.infer<Shape[Key]> };

/** Where a webhook may point. */
export interface EgressConfig extends Values<typeof egress> {}

/** How deliveries are made. */
export interface DeliveryConfig extends Values<typeof delivery> {}

/** How long what happened is kept. */
export interface RetentionConfig extends Values<typeof retention> {}

/** Where events are taken from, besides the REST API and this process. */
export interface IntakeConfig extends Values<typeof intake> {}

/** The part of the configuration that the module itself needs; a host application gives it in code. */
export interface Settings extends Values<typeof shape> {}

/** Injection token of the {@link Settings}. */
export const SETTINGS = Symbol('SETTINGS');
