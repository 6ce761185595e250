import type { WebhookDto } from 'webhook-notification-service-client';
import { to } from '../../data/place.js';
import { useQuery } from '../../data/query.js';
import { may } from '../../data/who.js';
import { AttemptsChart, CodesChart, LatencyChart } from '../../domain/attempt-charts.js';
import { madeAt } from '../../domain/made-at.js';
import { PERIOD_CHOICES, PERIODS, periodOf, sinceOf } from '../../domain/periods.js';
import { useAddress } from '../../parts/address.js';
import { ButtonLink } from '../../parts/button.js';
import { Filter } from '../../parts/form/filter.js';
import { Diagnosis, ProblemBox } from '../../parts/text/boxes.js';
import { Bones } from '../../parts/text/empty.js';
import { Facts } from '../../parts/text/facts.js';
import { count, milliseconds, share } from '../../parts/text/format.js';
import { Time } from '../../parts/text/time.js';

/** How deliveries to this webhook have been going. */
export function NumbersTab({ webhook: { id } }: { webhook: WebhookDto }) {
  const { values, set } = useAddress('period');
  const name = periodOf(values.period);
  const { step, everyMs } = PERIODS[name];
  const stats = useQuery('/v1/webhook/stats', { id, since: sinceOf(name), step }, { everyMs });
  const last = useQuery('/v1/webhook/trigger/list', { webhook_id: id, limit: '1' }, { everyMs: 10_000 });
  const newest = last.data?.data[0];
  const total = stats.data?.total;
  return (
    <div class="stack">
      <div class="toolbar">
        <Filter
          label="Span of time"
          value={name}
          choices={PERIOD_CHOICES}
          onChange={(period) => set({ period: period === 'day' ? '' : period })}
        />
        <span class="row end">
          {total !== undefined && total.exhausted > 0 && may('webhooks:write') && (
            <ButtonLink href={to(`/webhooks/${id}?tab=recover`)} icon="again">
              Send again what failed
            </ButtonLink>
          )}
          <ButtonLink href={to(`/deliveries?webhook=${id}`)} icon="table">
            All its deliveries
          </ButtonLink>
        </span>
      </div>
      {newest?.diagnosis && newest.status !== 'SUCCEEDED' && <Diagnosis diagnosis={newest.diagnosis} />}
      {total?.attempts === 0 && (
        <p class="muted">
          Nothing was sent here in this time. Each <a href={to('/notifications')}>notification</a> says who
          was told of it, and why others were not.
        </p>
      )}
      {stats.problem && <ProblemBox problem={stats.problem} onRetry={stats.refresh} />}
      {!stats.data && !stats.problem && <Bones lines={8} />}
      {stats.data && total && (
        <>
          <h2 class="hidden">Figures</h2>
          <Facts
            big
            facts={[
              ['Delivered', count(total.succeeded)],
              ['Given up', count(total.exhausted)],
              ['Success rate', share(total.succeeded, total.attempts)],
              ['p50', milliseconds(total.p50_ms)],
              ['p95', milliseconds(total.p95_ms)],
              ['p99', milliseconds(total.p99_ms)],
              ['Last delivery', <Time key="last" at={newest && (newest.begin ?? madeAt(newest.id))} />],
            ]}
          />
          <div class="card">
            <AttemptsChart steps={stats.data.data} />
          </div>
          <div class="split charts">
            <div class="card">
              <LatencyChart steps={stats.data.data} />
            </div>
            <div class="card">
              <CodesChart steps={stats.data.data} />
            </div>
          </div>
        </>
      )}
    </div>
  );
}
