import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WebhookDto } from 'webhook-notification-service-client';
import { useAction } from '../../../data/action.js';
import { api } from '../../../data/api.js';
import { pause } from '../../../data/pause.js';
import { invalidate } from '../../../data/resource.js';
import { numberOf } from '../../../domain/settings.js';
import { Button } from '../../../parts/button.js';
import { Check, TextField } from '../../../parts/form/fields.js';
import { type FieldErrors, useForm } from '../../../parts/form/form.js';
import { Form } from '../../../parts/form/form-box.js';
import { toast } from '../../../parts/overlay/toasts.js';
import { counted, span } from '../../../parts/text/format.js';

const DAY_MS = 86_400_000;
/** Somebody who types is left alone. */
const PAUSE_MS = 400;

interface Typed {
  since: string;
  until: string;
  missed: boolean;
  rate: string;
}

/** The words of `<input type=datetime-local>`: a local time. */
function localText(ms: number): string {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** As the API takes it; what is no time goes as it is, and is refused there. */
const timeOf = (text: string): string => {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
};

interface Props {
  webhook: WebhookDto;
  /** The newest recovery: whenever there is another one, what is left to send is asked anew. */
  newest: string | undefined;
}

/** Since when, how fast, and what it would send. */
export function RecoverForm({ webhook: { id, enabled }, newest }: Props) {
  const form = useForm<Typed>(
    { since: localText(Date.now() - DAY_MS), until: '', missed: false, rate: '10' },
    `recover ${id}`,
  );
  const { values } = form;
  const body = {
    id,
    since: timeOf(values.since),
    ...(values.until && { until: timeOf(values.until) }),
    missed: values.missed,
    per_second: numberOf(values.rate) as number,
  };
  const preview = usePreview(body, newest);
  const starting = useAction(
    () => api.POST('/v1/webhook/recover', { body }),
    ({ total }) => {
      form.done();
      invalidate('/v1/webhook/recover/list');
      toast({ text: `${counted(total, 'delivery is', 'deliveries are')} being sent again.`, tone: 'good' });
    },
  );
  return (
    <section class="stack tight" aria-labelledby="recover">
      <h2 id="recover">Send again what failed or was cancelled</h2>
      <p class="muted">
        Each is sent with its first <code>webhook-id</code>: a receiver that detects repeats does nothing
        twice.
      </p>
      {!enabled && <p class="warn">The webhook is off. Resume it first.</p>}
      <Form
        problem={starting.problem}
        judged={preview.errors}
        onSubmit={starting.run}
        end={
          <>
            <Button
              type="submit"
              look="primary"
              icon="again"
              busy={starting.busy}
              disabled={preview.total === 0}
            >
              Send again
            </Button>
            <span role="status" class="muted">
              {preview.total === 0 && 'There is nothing to send again.'}
              {preview.total !== undefined && preview.total > 0 && (
                <>
                  {counted(preview.total, 'delivery', 'deliveries')}, within about{' '}
                  {span(Math.ceil(preview.total / (body.per_second || 1)))}.
                </>
              )}
            </span>
          </>
        }
      >
        <div class="split">
          <TextField field={form.field('since')} label="Reported since" type="datetime-local" required />
          <TextField
            field={form.field('until')}
            label="Until"
            type="datetime-local"
            hint="Left empty, until now."
          />
          <TextField
            field={form.field('rate')}
            label="Deliveries a second"
            pointer="/per_second"
            inputMode="numeric"
            autocomplete="off"
            hint="From 1 to 1,000."
          />
        </div>
        <Check
          label="Also what it was never told of"
          hint="What was reported of its kinds while it was off, not subscribed, or not there yet."
          checked={values.missed}
          onChange={(missed) => form.set({ missed })}
        />
      </Form>
    </section>
  );
}

/** What a recovery would send, while one types. */
function usePreview(
  body: { since: string },
  newest: string | undefined,
): { total: number | undefined; errors: FieldErrors } {
  const preview = useSignal<{ total: number | undefined; errors: FieldErrors }>({
    total: undefined,
    errors: [],
  });
  const text = JSON.stringify(body);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const look = async () => {
      await pause(PAUSE_MS, signal);
      if (signal.aborted) return;
      const request = { body: { ...JSON.parse(text), dry_run: true }, signal };
      const { data, problem } = await api.POST('/v1/webhook/recover', request);
      if (signal.aborted) return;
      preview.value = { total: data?.total, errors: problem?.errors ?? [] };
    };
    look();
    return () => controller.abort();
  }, [text, newest]);
  return preview.value;
}
