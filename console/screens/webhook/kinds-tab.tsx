import { useSignal } from '@preact/signals';
import type { WebhookDto, WebhookEventDto, WebhookEventKindDto } from 'webhook-notification-service-client';
import { useAction } from '../../data/action.js';
import { api } from '../../data/api.js';
import type { Answer } from '../../data/call.js';
import { to } from '../../data/place.js';
import { invalidate } from '../../data/resource.js';
import { may } from '../../data/who.js';
import { useKinds } from '../../domain/kinds.js';
import { Button } from '../../parts/button.js';
import { Check } from '../../parts/form/fields.js';
import { toast, toastProblem } from '../../parts/overlay/toasts.js';
import { ProblemBox } from '../../parts/text/boxes.js';
import { Bones } from '../../parts/text/empty.js';
import { FilterDialog } from './filter-dialog.js';

/** What a webhook is told of, and which of it. */
export function KindsTab({ webhook, refresh }: { webhook: WebhookDto; refresh: () => void }) {
  const kinds = useKinds();
  const edited = useSignal<WebhookEventKindDto | undefined>(undefined);
  const { events } = webhook;
  const changed = () => {
    refresh();
    invalidate('/v1/webhook/list');
  };
  const turning = useAction(
    (kind: string, isOn: boolean): Promise<Answer<unknown>> => {
      const event = events.find((one) => one.kind === kind);
      return event
        ? api.PATCH('/v1/webhook/event', { body: { id: event.id, enabled: isOn } })
        : api.POST('/v1/webhook/event', { body: { webhook_id: webhook.id, kind } });
    },
    (_, kind, isOn) => {
      changed();
      toast({
        text: isOn ? `${kind} is sent from now on.` : `${kind} is not sent any more.`,
        undo: () => turning.run(kind, !isOn),
      });
    },
    (problem) => {
      toastProblem(problem);
      // The box shows what is stored again.
      refresh();
    },
  );
  if (!kinds.rows)
    return kinds.problem ? <ProblemBox problem={kinds.problem} onRetry={kinds.refresh} /> : <Bones />;
  const known = new Set(kinds.rows.map(({ kind }) => kind));
  const unknown = events.filter(({ kind }) => !known.has(kind));
  const event = edited.value && events.find(({ kind }) => kind === edited.value?.kind);
  return (
    <div class="stack">
      <p class="muted">
        What is reported from now on is sent if its kind is on and its record meets the filter. Switching a
        kind off cancels what waits of it.
      </p>
      <ul class="kinds">
        {kinds.rows.map((kind) => (
          <Kind
            key={kind.kind}
            kind={kind}
            event={events.find((one) => one.kind === kind.kind)}
            onTurn={(isOn) => turning.run(kind.kind, isOn)}
            onFilter={() => (edited.value = kind)}
          />
        ))}
        {unknown.map(({ kind }) => (
          <li key={kind}>
            <code>{kind}</code> <span class="muted">is no kind of this service any more.</span>
          </li>
        ))}
      </ul>
      {edited.value && event && (
        <FilterDialog
          event={event}
          example={edited.value.example}
          onSaved={changed}
          onClose={() => (edited.value = undefined)}
        />
      )}
    </div>
  );
}

function Kind({
  kind: { kind, description },
  event,
  onTurn,
  onFilter,
}: {
  kind: WebhookEventKindDto;
  event: WebhookEventDto | undefined;
  onTurn: (isOn: boolean) => void;
  onFilter: () => void;
}) {
  const mayWrite = may('webhooks:write');
  return (
    <li>
      <div class="row apart">
        <Check
          label={<code>{kind}</code>}
          hint={description}
          checked={event?.enabled ?? false}
          disabled={!mayWrite}
          onChange={onTurn}
        />
        <span class="row">
          <a href={to(`/kinds/${kind}`)} aria-label={`Example of ${kind}`}>
            Example
          </a>
          {event && mayWrite && (
            <Button small onClick={onFilter}>
              {event.filter ? 'Change the filter' : 'Add a filter'}
              <span class="hidden"> of {kind}</span>
            </Button>
          )}
        </span>
      </div>
      {event?.filter && <code class="filter">{JSON.stringify(event.filter)}</code>}
    </li>
  );
}
