import { z } from 'zod';
import { flag, wholeNumber } from '../../platform/config/fields.js';
import type { DeliveryConfig } from '../../platform/config/settings.js';
import type { Form } from '../../platform/json/column-json.js';

/** What the service does for all webhooks. */
export type DeliveryDefaults = Pick<DeliveryConfig, 'timeoutMs' | 'retryScheduleMs' | 'webhookConcurrency'>;

/** What a value must not be depends on the service. Each returns the error, or null. */
export interface SettingRules {
  /** Pauses in seconds. */
  schedule: (seconds: number[]) => string | null;
}

/** What values a setting may have. */
interface Kind<Value> {
  /** What a body may give. */
  schema: (rules: SettingRules) => z.ZodType<Value>;
  /** What the column may hold: also what another version has stored, within other bounds. */
  isStored: Form;
  docs: { type: typeof Number | typeof String | typeof Boolean | [typeof Number]; enum?: string[] };
}

interface Facts<Value> {
  description: string;
  /** An example of what is obeyed. */
  example: Value;
  /** An example of what a webhook sets for itself. @default `example` */
  ownExample?: Value | null;
}

/** The declaration of a setting: all that is said of it. `Effective` is what may be obeyed. */
export interface Setting<Value, Effective = Value> extends Kind<Value>, Facts<Value> {
  /** What holds where a webhook does not set it. Null: then it has none. */
  standard: ((delivery: DeliveryDefaults) => Effective) | null;
}

export const setting = <const Value>(
  kind: Kind<Value>,
  facts: Facts<NoInfer<Value>> & { standard: (delivery: DeliveryDefaults) => NoInfer<Value> },
): Setting<Value> => ({ ...kind, ...facts });

/** A setting that only those webhooks have that set it. */
export const optional = <const Value>(
  kind: Kind<Value>,
  facts: Facts<NoInfer<Value>>,
): Setting<Value, Value | null> => ({
  ...kind,
  ...facts,
  standard: null,
});

export const count = (min: number, max: number): Kind<number> => ({
  schema: () => wholeNumber(min, max),
  isStored: (value) => Number.isSafeInteger(value) && (value as number) > 0,
  docs: { type: Number },
});

const between = (min: number, max: number, what: string) => {
  const error = `must be ${what} from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
};

/** A number above zero, with fractions. */
export const amount = (min: number, max: number): Kind<number> => ({
  schema: () => between(min, max, 'a number'),
  isStored: (value) => Number.isFinite(value) && (value as number) > 0,
  docs: { type: Number },
});

/** Pauses in seconds, at least one. */
export const pauses = (maxLength: number, maxSeconds: number): Kind<number[]> => ({
  schema: ({ schedule }) =>
    z
      .array(between(0, maxSeconds, 'a number of seconds'), { error: 'must be an array of seconds' })
      .min(1, { error: 'must have a pause' })
      .max(maxLength, { error: `must have at most ${maxLength} pauses` })
      .superRefine((seconds, context) => {
        const message = schedule(seconds);
        if (message !== null) context.addIssue({ code: 'custom', message });
      }),
  isStored: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((pause) => Number.isFinite(pause) && pause >= 0),
  docs: { type: [Number] },
});

export const oneOf = <const Word extends string>(words: readonly Word[]): Kind<Word> => ({
  schema: () => z.enum(words, { error: `must be ${words.join(' or ')}` }),
  isStored: (value) => words.includes(value as Word),
  docs: { type: String, enum: [...words] },
});

export const yesOrNo: Kind<boolean> = {
  schema: () => flag,
  isStored: (value) => typeof value === 'boolean',
  docs: { type: Boolean },
};
