import type { ComponentChildren } from 'preact';
import { type Health as Found, readHealth } from '../../data/health.js';
import { useResource } from '../../data/resource.js';
import { isAdmin } from '../../data/who.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { Page } from '../../parts/page.js';
import { Box, ProblemBox } from '../../parts/text/boxes.js';
import { Bones, Empty } from '../../parts/text/empty.js';
import { Facts } from '../../parts/text/facts.js';
import { bytes, count, milliseconds, span } from '../../parts/text/format.js';

const POLL_MS = 10_000;
/** As docs/operations.md says when to look. */
const LATE_SECONDS = 300;
const RETENTION_LATE_SECONDS = 600;
const STATISTICS_LATE = 5_000;

/** How the service itself is. */
export default function Health() {
  const health = useResource('health', readHealth, { everyMs: POLL_MS });
  const { data, problem } = health;
  if (!isAdmin.value) {
    return (
      <Page title="Health">
        <Empty title="Only who may manage everything sees how the service is" />
      </Page>
    );
  }
  return (
    <Page
      title="Health"
      lead="How the service is, looked at every 10 seconds."
      actions={
        <Button icon="again" busy={health.busy} onClick={health.refresh}>
          Look now
        </Button>
      }
    >
      <div class="stack">
        {problem && <ProblemBox problem={problem} onRetry={health.refresh} />}
        {!data && !problem && <Bones lines={8} />}
        {data && <Ready ready={data.ready} />}
        {data && !data.metrics && (
          <Box tone="wait" title="There are no metrics here">
            <p>They are switched off, or belong to the application that the service is part of.</p>
          </Box>
        )}
        {data?.metrics && <Figures metrics={data.metrics} />}
      </div>
    </Page>
  );
}

function Ready({ ready }: Pick<Found, 'ready'>) {
  if (!ready) {
    return (
      <Box tone="wait" title="The API answers">
        <p>Whether everything is ready is said by the application that the service is part of.</p>
      </Box>
    );
  }
  if (!ready.isReady) return <Box tone="bad" title={ready.detail} alert />;
  return (
    <p class="row" role="status">
      <Badge tone="good">Ready</Badge>
      <span class="muted">In order: {ready.detail}</span>
    </p>
  );
}

function Figures({ metrics }: { metrics: NonNullable<Found['metrics']> }) {
  const value = (name: string) => metrics.get(name) ?? Number.NaN;
  const late = value('webhook_oldest_due_seconds');
  const lag = value('webhook_retention_lag_seconds');
  const pending = value('webhook_statistics_pending');
  const started = value('process_start_time_seconds');
  return (
    <>
      <Facts
        big
        facts={[
          ['Instances', figure(value('webhook_instances'))],
          ['Due and waiting', figure(value('webhook_triggers_due'))],
          ['Oldest due', figure(late, span)],
          ['Under way here', figure(value('webhook_attempts_in_flight'))],
        ]}
      />
      <div class="split">
        <Card title="Queue" judged={judge(late, LATE_SECONDS, 'In time', 'Late')}>
          {[
            ['Held by this process', figure(value('webhook_triggers_held'))],
            ['Webhooks failing now', figure(value('webhook_webhooks_failing'))],
            ['Switched off as failing', figure(value('webhook_webhooks_disabled{reason="failing"}'))],
            ['Switched off as gone', figure(value('webhook_webhooks_disabled{reason="gone"}'))],
          ]}
        </Card>
        <Card title="Database and retention" judged={judge(lag, RETENTION_LATE_SECONDS, 'In time', 'Behind')}>
          {[
            ['Database', Number.isNaN(late) ? <b key="away">does not answer</b> : 'answers'],
            ['Retention is behind by', figure(lag, span)],
            [
              'Not in the statistics yet',
              <span key="pending" class="row">
                {figure(pending)}
                {pending > STATISTICS_LATE && <Badge tone="warn">Behind</Badge>}
              </span>,
            ],
          ]}
        </Card>
        <Card title="This process">
          {[
            ['Running for', figure(Date.now() / 1000 - started, span)],
            ['Memory', figure(value('process_resident_memory_bytes'), bytes)],
            ['Event loop, p99', figure(value('nodejs_eventloop_lag_p99_seconds') * 1000, milliseconds)],
            ['Node.js', labelOf(metrics, 'nodejs_version_info', 'version')],
            ['Version', __VERSION__],
          ]}
        </Card>
      </div>
    </>
  );
}

const Card = ({
  title,
  judged,
  children,
}: {
  title: string;
  judged?: ComponentChildren;
  children: readonly (readonly [string, ComponentChildren])[];
}) => (
  <section class="card" aria-label={title}>
    <div class="row">
      <h2>{title}</h2>
      <span class="end">{judged}</span>
    </div>
    <Facts facts={children} />
  </section>
);

/** What the database does not say at present is not zero. */
const figure = (value: number, format: (value: number) => string = count): string =>
  Number.isNaN(value) ? '–' : format(value);

const judge = (value: number, limit: number, good: string, bad: string) =>
  !Number.isNaN(value) &&
  (value > limit ? <Badge tone="bad">{bad}</Badge> : <Badge tone="good">{good}</Badge>);

function labelOf(metrics: NonNullable<Found['metrics']>, name: string, label: string): string {
  const found = [...metrics.keys()].find((key) => key.startsWith(`${name}{`));
  return new RegExp(`${label}="([^"]*)"`).exec(found ?? '')?.[1] ?? '–';
}
