import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { WebhookTriggerDto } from 'webhook-notification-service-client';
import { type List, useList } from '../../data/list.js';
import { useStream } from '../../data/stream.js';
import { arrived, hasRoom, matches, type TriggerQuery, updated, withArrived } from './live.js';

const PATH = '/v1/webhook/trigger/list';
/** Where the service does not stream. */
const POLL_MS = 5_000;
/** Beside a stream: whatever went past it is put right. */
const CHECK_MS = 30_000;
/** Whoever leaves a page open keeps no more ids of what he has not looked at. */
const UNSEEN_AT_MOST = 10_000;

export interface LiveTriggers {
  readonly list: List<WebhookTriggerDto>;
  /** Whether changes come by themselves, or are looked for. */
  readonly isLive: boolean;
  /** How many came and are not shown. */
  readonly unseen: number;
  /** Whether there are more of them than were counted. */
  readonly isMoreUnseen: boolean;
  showUnseen(): void;
}

/**
 * Follows the triggers of a query. `null` follows nothing.
 *
 * @param isHeld whether new ones must not push away what somebody is looking at.
 */
export function useLiveTriggers(query: TriggerQuery | null, isHeld: () => boolean): LiveTriggers {
  const ids = useRef(new Set<string>()).current;
  const unseen = useSignal(0);
  const stream = useStream<WebhookTriggerDto>(
    '/webhook/trigger/stream',
    // Not the status: a trigger that leaves it would stay in the list.
    query && { webhook_id: query.webhook_id, event_kind: query.event_kind },
    'trigger',
    { onItems: (items) => take(items), onConnect: () => list.refresh() },
  );
  const isLive = stream.state !== 'refused';
  const list = useList(PATH, query, { everyMs: isLive ? CHECK_MS : POLL_MS });
  // An answer on its way may be older than what came meanwhile.
  const early = useRef<WebhookTriggerDto[]>([]);
  useEffect(() => {
    if (!list.busy) take(early.current.splice(0));
  }, [list.busy]);
  const take = (items: WebhookTriggerDto[]) => {
    if (list.busy) return void early.current.push(...items);
    if (!query || !list.rows || items.length === 0) return;
    const rows = updated(list.rows, items, query);
    const fresh = arrived(rows, items, query, !list.hasMore);
    const isShown = !isHeld() && hasRoom(rows, fresh);
    list.change(() => (isShown ? withArrived(rows, fresh) : rows));
    if (!isShown) for (const { id } of fresh) if (ids.size < UNSEEN_AT_MOST) ids.add(id);
    forget(items.filter((item) => !matches(item, query)).map(({ id }) => id));
  };
  const forget = (seen: Iterable<string>) => {
    for (const id of seen) ids.delete(id);
    unseen.value = ids.size;
  };
  useEffect(() => forget((list.rows ?? []).map(({ id }) => id)), [list.rows]);
  // Another filter has others.
  useEffect(() => forget(ids), [JSON.stringify(query)]);
  return {
    list,
    isLive,
    get unseen() {
      return unseen.value;
    },
    get isMoreUnseen() {
      return unseen.value === UNSEEN_AT_MOST;
    },
    showUnseen: () => {
      forget(ids);
      list.refresh();
    },
  };
}
