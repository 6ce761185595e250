import { useSignal } from '@preact/signals';
import type { CreatedWebhookDto } from 'webhook-notification-service-client';
import { useAction } from '../../data/action.js';
import { api } from '../../data/api.js';
import { useList } from '../../data/list.js';
import { to } from '../../data/place.js';
import { idempotencyKey, sent } from '../../data/random.js';
import { invalidate } from '../../data/resource.js';
import { isAdmin, me, ofWhom, whose } from '../../data/who.js';
import { ScheduleField } from '../../domain/schedule-field.js';
import { NO_SETTINGS } from '../../domain/settings.js';
import { Button, ButtonLink } from '../../parts/button.js';
import { TextArea, TextField } from '../../parts/form/fields.js';
import { useForm } from '../../parts/form/form.js';
import { Form } from '../../parts/form/form-box.js';
import { HeadersField, newHeader } from '../../parts/form/headers-field.js';
import { Icon } from '../../parts/icon.js';
import { Page } from '../../parts/page.js';
import { CreatedDialog } from './created-dialog.js';
import { useJudgement } from './judgement.js';
import { KindsField } from './kinds-field.js';
import { MoreFields } from './more-fields.js';
import { bodyOf, type NewWebhook } from './new-webhook.js';

const EMPTY: NewWebhook = {
  name: '',
  url: '',
  description: '',
  user: '',
  kinds: [],
  headers: [newHeader()],
  ...NO_SETTINGS,
  scheme: 'standard',
  secret: '',
};

/** One form for a new webhook. */
export default function NewWebhookScreen() {
  const form = useForm(EMPTY, 'new webhook');
  const created = useSignal<CreatedWebhookDto | undefined>(undefined);
  const standard = useStandardSchedule();
  const { values } = form;
  const body = bodyOf(values);
  const judgement = useJudgement(body, values.url !== '');
  const creating = useAction(
    () => api.POST('/v1/webhook', { body, headers: { 'Idempotency-Key': idempotencyKey(body) } }),
    (webhook) => {
      sent();
      form.done();
      invalidate('/v1/webhook/list');
      created.value = webhook as CreatedWebhookDto;
    },
  );
  const isGood = judgement.isSaid && !judgement.errors.some(({ pointer }) => pointer === '/url');
  return (
    <Page title="New webhook" narrow back={{ href: to('/webhooks'), text: 'Webhooks' }}>
      <Form
        problem={creating.problem}
        judged={judgement.errors}
        onSubmit={creating.run}
        end={
          <>
            <Button type="submit" look="primary" busy={creating.busy}>
              Create webhook
            </Button>
            <ButtonLink href={to('/webhooks')}>Cancel</ButtonLink>
          </>
        }
      >
        <TextField
          field={form.field('name')}
          label="Name"
          placeholder="CRM sync"
          required
          autocomplete="off"
        />
        <TextField
          field={form.field('url')}
          label="Address"
          hint={
            isGood ? (
              <span class="good row">
                <Icon name="check" size={12} /> The service can send to this address.
              </span>
            ) : (
              'Where requests are sent: https, or http where the service allows it.'
            )
          }
          placeholder="https://crm.example.com/hooks"
          inputMode="url"
          required
          autocomplete="off"
          spellcheck={false}
          mono
        />
        {isAdmin.value && (
          <TextField
            field={form.field('user')}
            label="User"
            pointer="/user_id"
            placeholder={whose.value ?? me.value?.user_id ?? ''}
            hint="Whose webhook it is. Left empty, the one you look at, or else your own."
            autocomplete="off"
          />
        )}
        <KindsField field={form.field('kinds')} />
        <TextArea field={form.field('description')} label="Description" rows={2} />
        <HeadersField field={form.field('headers')} />
        <ScheduleField field={form.field('retry_schedule_seconds')} standard={standard} />
        <MoreFields form={form} />
      </Form>
      {created.value && <CreatedDialog webhook={created.value} />}
    </Page>
  );
}

/** The service's own schedule, which any webhook without one of its own obeys. */
function useStandardSchedule(): readonly number[] | undefined {
  const { rows } = useList('/v1/webhook/list', ofWhom(), { pageSize: 100, freshMs: 60_000 });
  return rows?.find(({ settings }) => settings.retry_schedule_seconds === null)?.effective_settings
    .retry_schedule_seconds;
}
