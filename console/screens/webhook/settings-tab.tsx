import { useSignal } from '@preact/signals';
import type { WebhookDto } from 'webhook-notification-service-client';
import { useAction } from '../../data/action.js';
import { api } from '../../data/api.js';
import type { Answer } from '../../data/call.js';
import { to } from '../../data/place.js';
import { invalidate } from '../../data/resource.js';
import { may } from '../../data/who.js';
import { ScheduleField } from '../../domain/schedule-field.js';
import { SCHEMES } from '../../domain/schemes.js';
import { SettingsFields } from '../../domain/settings-fields.js';
import { Button } from '../../parts/button.js';
import { SelectField, TextArea, TextField } from '../../parts/form/fields.js';
import { type FormState, useForm } from '../../parts/form/form.js';
import { Form } from '../../parts/form/form-box.js';
import { HeadersField } from '../../parts/form/headers-field.js';
import { toast } from '../../parts/overlay/toasts.js';
import { AuthenticationFields, TlsFields } from './authentication-fields.js';
import { Conflict, type Difference, differences } from './conflict.js';
import { changesOf, type Edited, editedOf, rebased } from './edited.js';
import { EffectiveSettings } from './effective-settings.js';

/** All that a webhook is, in one form. Only what was changed is sent, and only if nobody else was faster. */
export function SettingsTab({
  webhook,
  etag,
  refresh,
}: {
  webhook: WebhookDto;
  etag: string | null;
  refresh: () => void;
}) {
  if (!may('webhooks:write')) return <EffectiveSettings webhook={webhook} />;
  return <SettingsForm webhook={webhook} etag={etag} refresh={refresh} />;
}

function SettingsForm({
  webhook,
  etag,
  refresh,
}: {
  webhook: WebhookDto;
  etag: string | null;
  refresh: () => void;
}) {
  const form = useForm<Edited>(editedOf(webhook, etag), `webhook ${webhook.id}`);
  const theirs = useSignal<readonly Difference[] | undefined>(undefined);
  const changes = changesOf(form.values);
  const begin = (from: WebhookDto, tag: string | null) => {
    theirs.value = undefined;
    form.set(editedOf(from, tag));
    form.done();
  };
  const saving = useAction(
    (): Promise<Answer<WebhookDto>> => save(form, (changed) => (theirs.value = changed)),
    (saved) => {
      if (changesOf(form.values) === undefined) form.done();
      theirs.value = undefined;
      refresh();
      invalidate('/v1/webhook/list');
      toast({ text: `${saved.name} is saved.`, tone: 'good' });
    },
    (problem) => {
      if (problem.status === 412) refresh();
    },
  );
  const isLate = theirs.value !== undefined;
  return (
    <div class="narrow-form">
      <Form
        problem={isLate && saving.problem?.status === 412 ? undefined : saving.problem}
        onSubmit={() => changes && saving.run()}
        end={
          <>
            <Button type="submit" look="primary" busy={saving.busy} disabled={changes === undefined}>
              {isLate ? 'Save over it' : 'Save'}
            </Button>
            {changes && (
              <Button
                onClick={() => {
                  saving.clear();
                  begin(webhook, etag);
                }}
              >
                Discard
              </Button>
            )}
          </>
        }
      >
        {theirs.value && (
          <Conflict
            changed={theirs.value}
            onDiscard={() => {
              saving.clear();
              begin(form.values.base, form.values.etag);
            }}
          />
        )}
        <TextField field={form.field('name')} label="Name" required autocomplete="off" />
        <TextField
          field={form.field('url')}
          label="Address"
          hint="Credentials have to be given anew where it gets another scheme, host or port."
          inputMode="url"
          required
          autocomplete="off"
          spellcheck={false}
          mono
        />
        <TextArea field={form.field('description')} label="Description" rows={2} />
        <HeadersField field={form.field('headers')} />
        <div class="section">
          <h2>Authentication</h2>
          <SelectField
            field={form.field('scheme')}
            label="Signature"
            pointer="/signature"
            choices={SCHEMES}
            hint="Another one may need another secret: then a new one is made."
          />
          <p class="hint">
            The secret that signs is shown and rotated under{' '}
            <a href={to(`/webhooks/${webhook.id}?tab=verify`)}>Verify</a>.
          </p>
          <AuthenticationFields form={form} />
          <TlsFields form={form} />
        </div>
        <div class="section">
          <h2>Attempts</h2>
          <ScheduleField
            field={form.field('retry_schedule_seconds')}
            standard={
              webhook.settings.retry_schedule_seconds === null
                ? webhook.effective_settings.retry_schedule_seconds
                : undefined
            }
          />
          <SettingsFields form={form} effective={webhook.effective_settings} />
        </div>
      </Form>
    </div>
  );
}

/** Saves what was changed as it was seen. @param late called with what another one has changed, if he was faster. */
async function save(
  form: FormState<Edited>,
  late: (changed: readonly Difference[]) => void,
): Promise<Answer<WebhookDto>> {
  const sent = form.values;
  const { base, etag } = sent;
  const body = { id: base.id, ...changesOf(sent) };
  const headers = etag === null ? {} : { 'If-Match': etag };
  const answer = await api.PATCH('/v1/webhook', { body, headers });
  if (answer.problem === undefined) {
    // Somebody may have gone on typing.
    form.set(rebased(form.values, sent, editedOf(answer.data, answer.etag)));
    return answer;
  }
  if (answer.problem.status !== 412) return answer;
  const now = await api.GET('/v1/webhook', { query: { id: base.id } });
  if (now.problem) return now;
  form.set(rebased(form.values, editedOf(base, etag), editedOf(now.data, now.etag)));
  late(differences(base, now.data));
  return answer;
}
