import { z } from 'zod';
import type { Setting, SettingRules } from '../../engine/webhook/setting.js';
import {
  DECLARED,
  type EffectiveSettings,
  type SettingsChange,
  type WebhookSettings,
} from '../../engine/webhook/webhook-settings.js';
import { answerOf } from '../../rest/answer.js';
import { camelKeys, type SnakeKeys, snakeKeys } from '../../rest/camel.js';
import { ApiSchema } from '../../rest/docs.js';
import { inputLike } from '../../rest/input.js';

type Own = SnakeKeys<WebhookSettings>;

/** A part of each setting's declaration, by its name in the REST API. */
const ofEach = <T>(part: (declared: Setting<unknown, unknown>) => T) =>
  snakeKeys(
    Object.fromEntries(Object.entries(DECLARED).map(([name, declared]) => [name, part(declared)])),
  ) as Record<keyof Own, T>;

/** `settings` in a body of the REST API, and in what services take. Both are read into the same form. */
export function settingsFields(rules: SettingRules) {
  // Each may be null, and left out.
  const body = z.strictObject(
    ofEach(({ schema }) => schema(rules).nullish()),
    // Unknown fields keep the message by which they are named.
    { error: ({ code }) => (code === 'invalid_type' ? 'must be an object of settings, or null' : undefined) },
  ) as z.ZodObject<{ [Name in keyof Own]: z.ZodOptional<z.ZodType<Own[Name]>> }>;
  const wire: z.ZodType<SettingsChange> = body.transform((settings) => camelKeys(settings)).nullable();
  const input: z.ZodType<SettingsChange> = inputLike(body).nullable();
  return { wire, input };
}

const OWN = ofEach(({ docs, description, example, ownExample = example }) => ({
  ...docs,
  nullable: true,
  example: ownExample,
  description,
}));

@ApiSchema({ description: 'What a webhook sets for itself; null is the default of the service' })
export class WebhookSettingsDto extends answerOf<WebhookSettings>(OWN) {}

const EFFECTIVE = ofEach(({ docs, description, example, standard }) => ({
  ...docs,
  ...(standard === null && { nullable: true }),
  example,
  description,
}));

@ApiSchema({ description: 'What holds for a webhook: its own settings, and those of the service' })
export class WebhookEffectiveSettingsDto extends answerOf<EffectiveSettings>(EFFECTIVE) {}
