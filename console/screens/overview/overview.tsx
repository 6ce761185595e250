import { useQuery } from '../../data/query.js';
import { ofWhom } from '../../data/who.js';
import { useAllWebhooks } from '../../domain/all-webhooks.js';
import { AttemptsChart, LatencyChart } from '../../domain/attempt-charts.js';
import { PERIOD_CHOICES, PERIODS, periodOf, sinceOf } from '../../domain/periods.js';
import { useAddress } from '../../parts/address.js';
import { Filter } from '../../parts/form/filter.js';
import { Page } from '../../parts/page.js';
import { ProblemBox } from '../../parts/text/boxes.js';
import { useNow } from '../../parts/text/clock.js';
import { Bones } from '../../parts/text/empty.js';
import { Facts } from '../../parts/text/facts.js';
import { count, milliseconds, share, span } from '../../parts/text/format.js';
import { type Backlog, backlogOf, useWaiting, waitingBy } from './backlog.js';
import { FirstSteps } from './first-steps.js';
import { TroubleList } from './trouble.js';

/** How deliveries have been going, and what needs somebody. */
export default function Overview() {
  const { values, set } = useAddress('period');
  const name = periodOf(values.period);
  const { step, stepMs, everyMs } = PERIODS[name];
  const since = sinceOf(name);
  const stats = useQuery('/v1/webhook/stats', { ...ofWhom(), since, step }, { everyMs });
  const webhooks = useAllWebhooks({ everyMs: 15_000 });
  const ever = useQuery('/v1/webhook/trigger/list', { ...ofWhom(), limit: '1' }, { everyMs: 15_000 });
  const waiting = useWaiting();
  const backlog = backlogOf(waiting);

  const problem = webhooks.problem ?? stats.problem ?? ever.problem ?? waiting.problem;
  const isLoading = !stats.data || !webhooks.rows || !ever.data;
  const isNew = !isLoading && ever.data?.data.length === 0 && stats.data?.total.attempts === 0;
  const refresh = () => {
    for (const query of [stats, webhooks, ever, waiting]) query.refresh();
  };
  return (
    <Page
      title={isNew ? 'Welcome' : 'Overview'}
      narrow={isNew}
      actions={
        !isNew && (
          <Filter
            label="Span of time"
            value={name}
            choices={PERIOD_CHOICES}
            onChange={(period) => set({ period: period === 'day' ? '' : period })}
          />
        )
      }
    >
      {problem && <ProblemBox problem={problem} onRetry={refresh} />}
      {isLoading && !problem && <Bones lines={8} />}
      {isNew && <FirstSteps webhook={webhooks.rows?.[0]} />}
      {stats.data && webhooks.rows && !isNew && (
        <div class="stack">
          <Facts
            big
            facts={[
              ['Delivered', count(stats.data.total.succeeded)],
              ['Given up', <Bad key="bad" value={stats.data.total.exhausted} />],
              ['Success rate', share(stats.data.total.succeeded, stats.data.total.attempts)],
              ['p50', milliseconds(stats.data.total.p50_ms)],
              ['p95', milliseconds(stats.data.total.p95_ms)],
              ['p99', milliseconds(stats.data.total.p99_ms)],
              ['Waiting now', backlog ? count(backlog.waiting.length) + (backlog.isMore ? '+' : '') : '…'],
              ['Oldest due', backlog && <OldestDue key="oldest" backlog={backlog} />],
            ]}
          />
          <section class="stack tight" aria-labelledby="trouble">
            <h2 id="trouble">In trouble</h2>
            <TroubleList since={since} webhooks={webhooks} backlog={backlog} />
          </section>
          <div class="card">
            <AttemptsChart
              steps={stats.data.data}
              waiting={backlog ? waitingBy(stats.data.data, stepMs, backlog) : stats.data.data.map(() => 0)}
            />
            {backlog?.isMore && (
              <p class="hint">Of what waits, the newest {count(backlog.waiting.length)} are in the chart.</p>
            )}
          </div>
          <div class="card">
            <LatencyChart steps={stats.data.data} />
          </div>
        </div>
      )}
    </Page>
  );
}

const Bad = ({ value }: { value: number }) => (
  <span class={value > 0 ? 'bad' : undefined}>{count(value)}</span>
);

/** What was not looked at is older: it may have been due for longer. */
function OldestDue({ backlog: { oldestDue, isMore } }: { backlog: Backlog }) {
  const now = useNow();
  if (oldestDue === null) return <>{isMore ? '…' : '–'}</>;
  return <>{(isMore ? 'over ' : '') + span((now - Date.parse(oldestDue)) / 1000)}</>;
}
