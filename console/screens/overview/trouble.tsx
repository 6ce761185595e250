import type { WebhookDto, WebhookTriggerDto } from 'webhook-notification-service-client';
import { type List, useList } from '../../data/list.js';
import { to } from '../../data/place.js';
import { useQuery } from '../../data/query.js';
import { ofWhom } from '../../data/who.js';
import { WEBHOOKS_AT_MOST } from '../../domain/all-webhooks.js';
import { WebhookState } from '../../domain/webhook-state.js';
import { Icon } from '../../parts/icon.js';
import { ProblemBox } from '../../parts/text/boxes.js';
import { Bones } from '../../parts/text/empty.js';
import { count, counted } from '../../parts/text/format.js';
import { Time } from '../../parts/text/time.js';
import type { Backlog } from './backlog.js';

const EVERY_MS = 15_000;
const LOOKED_AT = 500;

interface Trouble {
  webhook: WebhookDto;
  /** Its newest delivery that failed, of those that were looked at. */
  failed: WebhookTriggerDto | undefined;
  times: number;
}

/** Webhooks that are off because of what happened, that wait, or whose deliveries fail; each with what is known of it. */
export function TroubleList({
  since,
  webhooks,
  backlog,
}: {
  since: string;
  webhooks: List<WebhookDto>;
  backlog: Backlog | undefined;
}) {
  const failed = useList(
    '/v1/webhook/trigger/list',
    { ...ofWhom(), status: 'FAILED', since },
    { pageSize: 100, upTo: LOOKED_AT, everyMs: EVERY_MS },
  );
  if (failed.rows === undefined)
    return failed.problem ? (
      <ProblemBox problem={failed.problem} onRetry={failed.refresh} />
    ) : (
      <Bones lines={2} />
    );
  const unsent = backlog?.waiting.filter(({ diagnosis }) => diagnosis) ?? [];
  const troubles = troublesOf(webhooks.rows ?? [], [...failed.rows, ...unsent]);
  const isMore = failed.hasMore || backlog?.isMore === true;
  // Whoever is not listed may be in trouble all the same.
  const unread = [
    isMore && `the newest ${count(LOOKED_AT)} deliveries that failed or wait`,
    webhooks.hasMore && `the newest ${count(WEBHOOKS_AT_MOST)} webhooks`,
  ].filter(Boolean);
  const limits = unread.length > 0 && <p class="hint">Only {unread.join(' and ')} are looked at.</p>;
  if (troubles.length === 0) {
    if (limits) return limits;
    return (
      <p class="all-well">
        <span class="good row">
          <Icon name="check" size={14} />
        </span>
        No webhook is in trouble.
      </p>
    );
  }
  return (
    <>
      <ul class="troubles">
        {troubles.map((trouble) => (
          <Row key={trouble.webhook.id} {...trouble} hasMore={isMore} />
        ))}
      </ul>
      {limits}
    </>
  );
}

function troublesOf(webhooks: readonly WebhookDto[], bad: readonly WebhookTriggerDto[]): Trouble[] {
  const byWebhook = Map.groupBy(bad, ({ webhook_id }) => webhook_id);
  return webhooks
    .map((webhook) => {
      const own = byWebhook.get(webhook.id) ?? [];
      const newest = own.toSorted((a, b) => (b.begin ?? '').localeCompare(a.begin ?? ''));
      return { webhook, failed: newest[0], times: own.length };
    })
    .filter(
      ({ webhook, times }) =>
        webhook.disabled_reason !== null || webhook.paused_until !== null || (webhook.enabled && times > 0),
    )
    .sort((a, b) => rank(b) - rank(a) || b.times - a.times);
}

/** What is off needs somebody; what waits goes on by itself. */
const rank = ({ webhook }: Trouble): number =>
  webhook.disabled_reason !== null ? 2 : webhook.paused_until !== null ? 1 : 0;

function Row({ webhook, failed, times, hasMore }: Trouble & { hasMore: boolean }) {
  const earlier = useQuery(
    '/v1/webhook/trigger/list',
    failed ? null : { webhook_id: webhook.id, status: 'FAILED', limit: '1' },
    { background: true, freshMs: EVERY_MS },
  ).data?.data[0];
  const { diagnosis, begin = null } = failed ?? earlier ?? {};
  return (
    <li>
      <div class="row">
        <a href={to(`/webhooks/${webhook.id}`)}>{webhook.name}</a>
        <WebhookState webhook={webhook} />
        <span class="muted end">
          {times > 0 && `${counted(times, 'delivery', 'deliveries')}${hasMore ? ' or more' : ''}, the last `}
          {begin && <Time at={begin} />}
        </span>
      </div>
      {diagnosis && (
        <p>
          {diagnosis.summary} <span class="muted">{diagnosis.advice}</span>
        </p>
      )}
    </li>
  );
}
