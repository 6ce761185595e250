import { z } from 'zod';
import {
  type EffectiveSettings,
  ORDERINGS,
  type Ordering,
  type SettingsChange,
  type WebhookSettings,
} from '../../engine/webhook/webhook-settings.js';
import { wholeNumber } from '../../platform/config/fields.js';
import {
  MAX_PAUSE_MS,
  MAX_PAUSES,
  MAX_TIMEOUT_MS,
  MAX_WEBHOOK_CONCURRENCY,
  MIN_TIMEOUT_MS,
} from '../../platform/config/settings.js';
import { camelKeys } from '../../rest/camel.js';
import { ApiSchema } from '../../rest/docs.js';
import { Field, flag, toAnswer } from '../../rest/fields.js';
import { inputLike } from '../../rest/input.js';

const MAX_PAUSE_SECONDS = MAX_PAUSE_MS / 1000;
const MIN_RATE = 0.01;
const MAX_RATE = 10_000;

const between = (min: number, max: number, what: string) => {
  const error = `must be ${what} from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
};

const schedule = z
  .array(between(0, MAX_PAUSE_SECONDS, 'a number of seconds'), { error: 'must be an array of seconds' })
  .min(1, { error: 'must have a pause' })
  .max(MAX_PAUSES, { error: `must have at most ${MAX_PAUSES} pauses` });

/** The settings of a webhook. Each may be null, and left out. @param faultOfSchedule null if there is none. */
const settingsBody = (faultOfSchedule: (seconds: number[]) => string | null) =>
  z.strictObject(
    {
      timeout_ms: wholeNumber(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS).nullish(),
      retry_schedule_seconds: schedule
        .superRefine((seconds, context) => {
          const message = faultOfSchedule(seconds);
          if (message !== null) context.addIssue({ code: 'custom', message });
        })
        .nullish(),
      concurrency: wholeNumber(1, MAX_WEBHOOK_CONCURRENCY).nullish(),
      rate_per_second: between(MIN_RATE, MAX_RATE, 'a number').nullish(),
      ordering: z.enum(ORDERINGS, { error: `must be ${ORDERINGS.join(' or ')}` }).nullish(),
      coalesce: z.boolean({ error: 'must be true or false' }).nullish(),
      auto_recover: flag.nullish(),
    },
    // Unknown fields keep the message by which they are named.
    { error: ({ code }) => (code === 'invalid_type' ? 'must be an object of settings, or null' : undefined) },
  );

/** `settings` in a body of the REST API, and in what services take. Both are read into the same form. */
export function settingsFields(faultOfSchedule: (seconds: number[]) => string | null) {
  const body = settingsBody(faultOfSchedule);
  const wire: z.ZodType<SettingsChange> = body.transform((settings) => camelKeys(settings)).nullable();
  const input: z.ZodType<SettingsChange> = inputLike(body).nullable();
  return { wire, input };
}

/** What both kinds of settings have in common. */
const CONCURRENCY = 'Attempts under way at once, in each process';
const RATE = 'Attempts a second at most, over all processes';
const ORDER =
  '`record`: the notifications of a record one at a time, in the order in which they were accepted';
const COALESCE = 'Of several undelivered notifications of a record and a kind only the newest is sent';
const AUTO_RECOVER =
  'Whether it is probed after the service has disabled it as `failing`; the first 2xx enables it and recovers what it missed';
const PAUSES = 'Pauses before the second, third … attempt, before jitter';

@ApiSchema({ description: 'What a webhook sets for itself; null is the default of the service' })
export class WebhookSettingsDto {
  @Field({ type: Number, nullable: true, example: 5000, description: 'Deadline of one attempt' })
  timeout_ms: number | null;
  @Field({ type: [Number], nullable: true, example: [10, 60, 600], description: PAUSES })
  retry_schedule_seconds: number[] | null;
  @Field({ type: Number, nullable: true, example: null, description: CONCURRENCY })
  concurrency: number | null;
  @Field({ type: Number, nullable: true, example: 50, description: `${RATE}; null is no limit` })
  rate_per_second: number | null;
  @Field({ type: String, enum: ORDERINGS, nullable: true, example: 'record', description: ORDER })
  ordering: Ordering | null;
  @Field({ type: Boolean, nullable: true, example: null, description: COALESCE })
  coalesce: boolean | null;
  @Field({ type: Boolean, nullable: true, example: true, description: AUTO_RECOVER })
  auto_recover: boolean | null;
}

@ApiSchema({ description: 'What holds for a webhook: its own settings, and those of the service' })
export class WebhookEffectiveSettingsDto {
  @Field({ example: 5000, description: 'Deadline of one attempt' })
  timeout_ms: number;
  @Field({ type: [Number], example: [10, 60, 600], description: PAUSES })
  retry_schedule_seconds: number[];
  @Field({ example: 10, description: CONCURRENCY })
  concurrency: number;
  @Field({ type: Number, nullable: true, example: 50, description: `${RATE}; null is no limit` })
  rate_per_second: number | null;
  @Field({ enum: ORDERINGS, example: 'record', description: ORDER })
  ordering: Ordering;
  @Field({ example: false, description: COALESCE })
  coalesce: boolean;
  @Field({ example: true, description: AUTO_RECOVER })
  auto_recover: boolean;
}

export const toSettingsDto = (settings: WebhookSettings): WebhookSettingsDto =>
  toAnswer(WebhookSettingsDto, settings);

export const toEffectiveSettingsDto = (settings: EffectiveSettings): WebhookEffectiveSettingsDto =>
  toAnswer(WebhookEffectiveSettingsDto, settings);
