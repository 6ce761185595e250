import type { WebhookDto, WebhookTriggerDto } from '../../../src/client/index.js';
import { useList } from '../../data/list.js';
import { to } from '../../data/place.js';
import { useQuery } from '../../data/query.js';
import { ofWhom } from '../../data/who.js';
import { WebhookState } from '../../domain/webhook-state.js';
import { Icon } from '../../parts/icon.js';
import { ProblemBox } from '../../parts/text/boxes.js';
import { Bones } from '../../parts/text/empty.js';
import { counted } from '../../parts/text/format.js';
import { Time } from '../../parts/text/time.js';

const EVERY_MS = 15_000;

interface Trouble {
  webhook: WebhookDto;
  /** Its newest delivery that failed, of those that were looked at. */
  failed: WebhookTriggerDto | undefined;
  count: number;
}

/** Webhooks that are off because of what happened, that wait, or whose deliveries fail; each with what is known of it. */
export function TroubleList({
  since,
  webhooks,
  waiting,
}: {
  since: string;
  webhooks: readonly WebhookDto[];
  waiting: readonly WebhookTriggerDto[];
}) {
  const failed = useList(
    '/v1/webhook/trigger/list',
    { ...ofWhom(), status: 'FAILED', since },
    { pageSize: 100, everyMs: EVERY_MS },
  );
  if (failed.rows === undefined)
    return failed.problem ? (
      <ProblemBox problem={failed.problem} onRetry={failed.refresh} />
    ) : (
      <Bones lines={2} />
    );
  const troubles = troublesOf(webhooks, [...failed.rows, ...waiting.filter(({ diagnosis }) => diagnosis)]);
  if (troubles.length === 0) {
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
    <ul class="troubles">
      {troubles.map((trouble) => (
        <Row key={trouble.webhook.id} {...trouble} hasMore={failed.hasMore} />
      ))}
    </ul>
  );
}

function troublesOf(webhooks: readonly WebhookDto[], bad: readonly WebhookTriggerDto[]): Trouble[] {
  return webhooks
    .map((webhook) => {
      const own = bad.filter(({ webhook_id }) => webhook_id === webhook.id);
      const newest = own.toSorted((a, b) => (b.begin ?? '').localeCompare(a.begin ?? ''));
      return { webhook, failed: newest[0], count: own.length };
    })
    .filter(
      ({ webhook, count }) =>
        webhook.disabled_reason !== null || webhook.paused_until !== null || (webhook.enabled && count > 0),
    )
    .sort((a, b) => rank(b) - rank(a) || b.count - a.count);
}

/** What is off needs somebody; what waits goes on by itself. */
const rank = ({ webhook }: Trouble): number =>
  webhook.disabled_reason !== null ? 2 : webhook.paused_until !== null ? 1 : 0;

function Row({ webhook, failed, count, hasMore }: Trouble & { hasMore: boolean }) {
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
          {count > 0 && `${counted(count, 'delivery', 'deliveries')}${hasMore ? ' or more' : ''}, the last `}
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
