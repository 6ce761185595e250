import { useSignal } from '@preact/signals';
import type { WebhookAttemptDto } from 'webhook-notification-service-client';
import { useList } from '../../data/list.js';
import { useAddress } from '../../parts/address.js';
import { Button } from '../../parts/button.js';
import { Filter } from '../../parts/form/filter.js';
import { Box, Diagnosis, ProblemBox } from '../../parts/text/boxes.js';
import { count } from '../../parts/text/format.js';
import { DifferenceTable } from './difference-table.js';
import { Exchange } from './exchange.js';
import { Timeline } from './timeline.js';
import type { Delivery } from './trigger.js';

/** The attempts of a delivery, the one that is looked at, and how another one differs from it. */
export function Attempts({ delivery }: { delivery: Delivery }) {
  const { trigger } = delivery;
  const { values, set } = useAddress('attempt', 'with');
  const isAll = useSignal(false);
  const all = useList('/v1/webhook/trigger/attempt/list', isAll.value ? { trigger_id: trigger.id } : null, {
    pageSize: 100,
  });
  const attempts = merged(all.rows ?? [], trigger.attempts);
  const find = (number: string) => attempts.find((attempt) => String(attempt.number) === number);
  const last = attempts.at(-1);
  const attempt = find(values.attempt) ?? last;
  const other = attempt && values.with !== String(attempt.number) ? find(values.with) : undefined;
  const isMore = trigger.attempt_count > attempts.length;
  const diagnosis = attempt ? attempt.diagnosis : trigger.diagnosis;
  // Why it was given up is said once, unless the attempt says it.
  const isCancelled = trigger.status === 'CANCELLED' && trigger.error !== null;
  return (
    <div class="stack">
      {isCancelled && (
        <Box tone="warn" title="Cancelled">
          <p>{trigger.error?.message}</p>
        </Box>
      )}
      {diagnosis && <Diagnosis diagnosis={diagnosis} />}
      <div>
        {isMore && (
          <div class="toolbar">
            <span class="hint">
              The last {count(attempts.length)} of {count(trigger.attempt_count)} attempts
            </span>
            <Button
              small
              busy={all.busy}
              onClick={() => {
                if (isAll.value) all.more();
                isAll.value = true;
              }}
            >
              Show earlier ones
            </Button>
          </div>
        )}
        {all.problem && <ProblemBox problem={all.problem} onRetry={all.refresh} />}
        <Timeline
          attempts={attempts}
          trigger={trigger}
          picked={attempt?.number}
          onPick={(number) => set({ attempt: number === last?.number ? '' : String(number) })}
        />
      </div>
      {attempt && attempts.length > 1 && (
        <div class="toolbar">
          <h2>Attempt {attempt.number}</h2>
          <span class="end">
            <Filter
              label="Compare with"
              value={other ? values.with : ''}
              choices={[
                ['', 'Compare with…'],
                ...attempts
                  .filter(({ number }) => number !== attempt.number)
                  .map(({ number }) => [String(number), `with attempt ${number}`] as const),
              ]}
              onChange={(number) => set({ with: number })}
            />
          </span>
        </div>
      )}
      {attempt && other && <DifferenceTable one={attempt} other={other} />}
      <Exchange delivery={delivery} attempt={attempt} isLast={attempt === last} />
    </div>
  );
}

/** By number. The trigger brings the newest ones, and knows them best. */
function merged(
  all: readonly WebhookAttemptDto[],
  newest: readonly WebhookAttemptDto[],
): readonly WebhookAttemptDto[] {
  const byNumber = new Map([...all, ...newest].map((attempt) => [attempt.number, attempt]));
  return [...byNumber.values()].toSorted((a, b) => a.number - b.number);
}
