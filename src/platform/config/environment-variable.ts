import { z } from 'zod';
import { split } from './fields.js';
import { type ServiceConfig, serviceConfig } from './service-config.js';
import {
  type DeliveryConfig,
  type EgressConfig,
  type IntakeConfig,
  MAX_PAUSE_MS,
  MAX_PAUSES,
  type RetentionConfig,
} from './settings.js';

/** Settings that have settings of their own. */
export const GROUPS = ['egress', 'delivery', 'retention', 'intake'] as const;
type Group = (typeof GROUPS)[number];

/** Path of a setting in the {@link ServiceConfig}. */
export type SettingKey =
  | Exclude<keyof ServiceConfig, Group>
  | `egress.${keyof EgressConfig}`
  | `delivery.${keyof DeliveryConfig}`
  | `retention.${keyof RetentionConfig}`
  | `intake.${keyof IntakeConfig}`;

/** The setting behind an environment variable, and how its text is read. */
export interface Variable {
  key: SettingKey;
  /** Gives the text the type and unit of the setting, whose schema then judges the value. */
  read(text: string): unknown;
  /** Replaces the schema's message where the variable has another form or unit. */
  must?: string;
  /** Whether messages leave the value out. */
  isSecret?: true;
}

const { shape } = serviceConfig;
const isGroup = (key: string): key is Group => GROUPS.some((group) => group === key);

/** The schema of each setting, under its path. */
export const SCHEMAS = new Map<string, z.ZodType>([
  ...Object.entries(shape).filter(([key]) => !isGroup(key)),
  ...GROUPS.flatMap((group) =>
    Object.entries(shape[group].unwrap().shape).map(([key, schema]) => [`${group}.${key}`, schema] as const),
  ),
]);

/** @throws Error if the setting has another schema. */
function schemaOf(key: SettingKey): { schema: unknown; fallback: unknown } {
  const schema = SCHEMAS.get(key);
  if (schema instanceof z.ZodDefault) return { schema: schema.unwrap(), fallback: schema.def.defaultValue };
  throw new Error(`The setting ${key} has no default.`);
}

/** The minimum, maximum (both inclusive) and default of a number, in the setting's own unit. */
export function boundsOf(key: SettingKey): { min: number; max: number; fallback: number } {
  const { schema, fallback } = schemaOf(key);
  if (!(schema instanceof z.ZodNumber)) throw new Error(`The setting ${key} is no number.`);
  return {
    min: schema.minValue ?? Number.NaN,
    max: schema.maxValue ?? Number.NaN,
    fallback: Number(fallback),
  };
}

export const text = (key: SettingKey): Variable => ({ key, read: (given) => given });

export const secret = (key: SettingKey): Variable => ({ ...text(key), isSecret: true });

/** @param scale how many of the setting's units make one of the variable's. */
export function number(key: SettingKey, scale = 1): Variable {
  const { min, max, fallback } = boundsOf(key);
  return {
    key,
    read: (given) => (/^\d{1,10}$/.test(given) ? Number(given) * scale : Number.NaN),
    must: `must be a whole number from ${min / scale} to ${max / scale}; leave it unset for ${fallback / scale}`,
  };
}

/** A number as programs write it: 8 / 86400 is `9.259259259259259e-05` or `0.00009259259259259259`. */
const FRACTION = /^\d{1,6}(\.\d+)?(e-\d+)?$/i;

/** NaN also for what is too small for a double: as 0 it might mean "for ever". */
function readFraction(given: string): number {
  const value = FRACTION.test(given) ? Number(given) : Number.NaN;
  return value === 0 && /^[\d.]*[1-9]/.test(given) ? Number.NaN : value;
}

/** Days, or hours, with fractions. */
export function fraction(key: SettingKey, units: 'days' | 'hours'): Variable {
  const { min, max, fallback } = boundsOf(key);
  return {
    key,
    read: readFraction,
    must: `must be a number of ${units} from ${min} to ${max}, such as 7 or 0.5; leave it unset for ${fallback}`,
  };
}

/** Whole seconds, of a setting in milliseconds. */
export const seconds = (key: SettingKey): Variable => number(key, 1000);

export function choice(key: SettingKey): Variable {
  const { schema, fallback } = schemaOf(key);
  if (!(schema instanceof z.ZodEnum)) throw new Error(`The setting ${key} is no choice.`);
  return {
    ...text(key),
    must: `must be one of ${schema.options.join(', ')}; leave it unset for ${fallback}`,
  };
}

const FLAGS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
export const boolean = (key: SettingKey): Variable => ({
  key,
  read: (given) => FLAGS.get(given.toLowerCase()) ?? given,
});

export const list = (key: SettingKey): Variable => ({ key, read: split });

/** Pauses in seconds, with fractions, of a setting in milliseconds. */
export const pauses = (key: SettingKey): Variable => ({
  key,
  read: (given) => split(given).map((entry) => Math.round(readFraction(entry) * 1000)),
  must: `must be 1 to ${MAX_PAUSES} pauses in seconds, each from 0 to ${MAX_PAUSE_MS / 1000}, separated by commas, such as 5,300,1800`,
});
