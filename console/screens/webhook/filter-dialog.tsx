import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { WebhookEventDto } from 'webhook-notification-service-client';
import { useAction } from '../../data/action.js';
import { api } from '../../data/api.js';
import type { Answer } from '../../data/call.js';
import type { Problem } from '../../data/problem.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { TextArea } from '../../parts/form/fields.js';
import { useForm } from '../../parts/form/form.js';
import { Form } from '../../parts/form/form-box.js';
import { Dialog } from '../../parts/overlay/dialog.js';
import { toast } from '../../parts/overlay/toasts.js';
import { FilterFields } from './filter-fields.js';

const HINT =
  'Conditions on fields of the record: { "status": "INVALID", "score": { "$gte": 0.8 } }. Left empty, all are sent.';

/** Which notifications of a kind are sent: typed as JSON, tried on a record, saved. */
export function FilterDialog({
  event,
  example,
  onSaved,
  onClose,
}: {
  event: WebhookEventDto;
  /** A body of the kind. */
  example: unknown;
  onSaved: () => void;
  onClose: () => void;
}) {
  const form = useForm({
    filter: event.filter ? JSON.stringify(event.filter, null, 2) : '',
    record: JSON.stringify((example as { data?: unknown } | null)?.data ?? {}, null, 2),
  });
  const tried = useSignal<{ matches: boolean; reason: string | null } | undefined>(undefined);
  const saving = useAction(
    () =>
      withJson(form.values.filter, '/filter', (filter) =>
        api.PATCH('/v1/webhook/event', {
          body: { id: event.id, filter: filter as Record<string, never> | null },
        }),
      ),
    (saved) => {
      onSaved();
      onClose();
      const text = saved.filter
        ? `${event.kind} is filtered from now on.`
        : `${event.kind} has no filter any more.`;
      toast({ text, tone: 'good' });
    },
  );
  const trying = useAction(
    () =>
      withJson(form.values.filter, '/filter', (filter) =>
        withJson(form.values.record, '/record', (record) =>
          api.POST('/v1/webhook/event/filter/test', {
            body: { filter, record: record ?? {} } as never,
          }),
        ),
      ),
    (result) => (tried.value = result),
    () => (tried.value = undefined),
  );
  const run = (one: typeof saving | typeof trying) => {
    saving.clear();
    trying.clear();
    tried.value = undefined;
    one.run();
  };
  const refused = saving.problem ?? trying.problem;
  // The same object as long as it is the same problem: a new one takes the focus to its field.
  const problem = useMemo(() => named(refused), [refused]);
  return (
    <Dialog title={`Filter of ${event.kind}`} wide onClose={onClose}>
      <Form
        problem={problem}
        onSubmit={() => run(saving)}
        end={
          <>
            <Button type="submit" look="primary" busy={saving.busy}>
              Save
            </Button>
            <Button busy={trying.busy} onClick={() => run(trying)}>
              Try it
            </Button>
            <span role="status" class="row">
              {tried.value?.matches && <Badge tone="good">This record is sent</Badge>}
              {tried.value?.matches === false && (
                <>
                  <Badge tone="muted">This record is not sent</Badge> {tried.value.reason}
                </>
              )}
            </span>
          </>
        }
      >
        <div class="split">
          <TextArea
            field={form.field('filter')}
            label="Filter"
            hint={HINT}
            rows={12}
            mono
            spellcheck={false}
          />
          <TextArea
            field={form.field('record')}
            label="Record to try it on"
            hint="The example of this kind, until you change it."
            rows={12}
            mono
            spellcheck={false}
          />
        </div>
        <FilterFields
          filter={form.values.filter}
          record={form.values.record}
          onFilter={(filter) => form.set({ filter })}
        />
      </Form>
    </Dialog>
  );
}

/** A field shows one error. A filter has parts, each of which may have its own: it names them all. */
function named(problem: Problem | undefined): Problem | undefined {
  const parts = problem?.errors.filter(({ pointer }) => pointer.startsWith('/filter/')) ?? [];
  if (!problem || parts.length === 0) return problem;
  const message = parts.map((part) => `${part.pointer.slice('/filter'.length)} ${part.message}`).join('; ');
  const others = problem.errors.filter((error) => !parts.includes(error));
  return { ...problem, errors: [{ pointer: '/filter', message }, ...others] };
}

/** What is no JSON never gets to the service, which would say so of the whole request. */
function withJson<D>(
  text: string,
  pointer: string,
  then: (value: unknown) => Promise<Answer<D>>,
): Promise<Answer<D>> {
  if (text.trim() === '') return then(null);
  try {
    return then(JSON.parse(text));
  } catch (error) {
    const message = `This is no JSON: ${(error as Error).message}`;
    const problem: Problem = {
      status: 400,
      code: 'invalid_json',
      detail: 'Mend what is marked, and try again.',
      errors: [{ pointer, message }],
      retryAfterMs: null,
    };
    return Promise.resolve({ problem });
  }
}
