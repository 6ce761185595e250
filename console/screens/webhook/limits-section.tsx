import type { WebhookDto } from '../../../src/client/index.js';
import { LimitsFields } from '../../domain/limits-fields.js';
import { type Choices, SelectField } from '../../parts/form/fields.js';
import type { FormState } from '../../parts/form/form.js';
import type { Choice, Edited, LaterSettings } from './edited.js';

const ORDERINGS = [
  ['', 'As the service'],
  ['none', 'Whatever is due goes out'],
  ['record', 'Those of one record in their order'],
] as const;

const asService = (standard: boolean | undefined): string =>
  standard === undefined ? 'As the service' : `As the service: ${standard ? 'on' : 'off'}`;

/** Limits and the order of attempts. Of settings that the service does not have there is no field. */
export function LimitsSection({ form, webhook }: { form: FormState<Edited>; webhook: WebhookDto }) {
  const settings: LaterSettings = webhook.settings;
  const effective = webhook.effective_settings as LaterSettings;
  const choices = (
    standard: boolean | null | undefined,
    own: boolean | null | undefined,
  ): Choices<Choice> => [
    ['', asService(own === null ? (standard ?? undefined) : undefined)],
    ['true', 'On'],
    ['false', 'Off'],
  ];
  return (
    <>
      <div class="split">
        <LimitsFields
          form={form}
          effective={{
            timeout: `${(effective.timeout_ms ?? 0) / 1000}`,
            concurrency: `${effective.concurrency}`,
            rate: effective.rate_per_second === null ? 'No limit' : `${effective.rate_per_second}`,
          }}
        />
        {'ordering' in settings && (
          <SelectField
            field={form.field('ordering')}
            label="Order"
            pointer="/settings/ordering"
            choices={ORDERINGS}
            hint="In their order, one that fails holds back the others of its record."
          />
        )}
        {'coalesce' in settings && (
          <SelectField
            field={form.field('coalesce')}
            label="Only the newest of a record and kind"
            pointer="/settings/coalesce"
            choices={choices(effective.coalesce, settings.coalesce)}
          />
        )}
        {'auto_recover' in settings && (
          <SelectField
            field={form.field('autoRecover')}
            label="Recover by itself after failing"
            pointer="/settings/auto_recover"
            choices={choices(effective.auto_recover, settings.auto_recover)}
          />
        )}
      </div>
      <p class="hint">Left empty, what the service does for all webhooks, which the fields show, holds.</p>
    </>
  );
}
