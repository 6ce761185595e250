import type { WebhookTriggerDto } from 'webhook-notification-service-client';
import { api } from '../../data/api.js';
import { type Answer, queryText } from '../../data/call.js';
import { inBackground } from '../../data/gate.js';
import { useList } from '../../data/list.js';
import { useResource } from '../../data/resource.js';
import { ofWhom } from '../../data/who.js';
import type { TableRows } from '../../parts/table/table.js';
import type { TriggerQuery } from './live.js';

/** Each notification of the record is asked about by itself. */
const NOTIFICATIONS = 20;
const POLL_MS = 10_000;

/** The triggers of a record: those of its notifications, newest first. `null` as record loads nothing. */
export function useRecordTriggers(record: string | null, query: TriggerQuery): TableRows<WebhookTriggerDto> {
  const { since, until, event_kind } = query;
  const notifications = useList(
    '/v1/notification/list',
    record === null ? null : { ...ofWhom(), record_id: record, since, until, event_kind },
    { pageSize: NOTIFICATIONS, everyMs: POLL_MS },
  );
  const ids = notifications.rows?.map(({ id }) => id);
  const load = async (signal: AbortSignal): Promise<Answer<WebhookTriggerDto[]>> => {
    const answers = await Promise.all(
      (ids ?? []).map((notification_id) => {
        const one = { ...query, notification_id, since: undefined, until: undefined, limit: '100' };
        return inBackground(() => api.GET('/v1/webhook/trigger/list', { query: one, signal }), signal);
      }),
    );
    const failed = answers.find(({ problem }) => problem);
    if (failed?.problem) return { problem: failed.problem };
    return { data: answers.flatMap(({ data }) => data?.data ?? []), etag: null };
  };
  const key = ids && `/v1/webhook/trigger/list${queryText({ ...query, of: ids.join() })}`;
  const triggers = useResource(key ?? null, load, { everyMs: POLL_MS });
  return {
    rows: triggers.data,
    problem: notifications.problem ?? triggers.problem,
    busy: notifications.busy || triggers.busy,
    hasMore: notifications.hasMore,
    more: notifications.more,
    refresh: () => {
      notifications.refresh();
      triggers.refresh();
    },
  };
}
