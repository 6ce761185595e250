import { useList } from '../data/list.js';
import { ofWhom } from '../data/who.js';

const FRESH_MS = 30_000;

/** The names of the webhooks, for lists that know only their ids. */
export function useWebhookNames(): {
  readonly choices: readonly (readonly [id: string, name: string])[];
  nameOf(id: string): string;
} {
  const webhooks = useList('/v1/webhook/list', ofWhom(), { pageSize: 100, freshMs: FRESH_MS });
  return {
    get choices() {
      return (webhooks.rows ?? []).map(({ id, name }) => [id, name] as const);
    },
    nameOf(id) {
      const found = webhooks.rows?.find((webhook) => webhook.id === id)?.name;
      if (found !== undefined) return found;
      return webhooks.rows && !webhooks.hasMore ? 'Deleted webhook' : `Webhook …${id.slice(-6)}`;
    },
  };
}
