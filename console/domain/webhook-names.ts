import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { api } from '../data/api.js';
import { inBackground } from '../data/gate.js';
import { useAllWebhooks } from './all-webhooks.js';

/** Of those that are not among the ones that were read: found one by one. Null for what is gone. */
const found = signal<ReadonlyMap<string, string | null>>(new Map());
const asked = new Set<string>();

async function find(id: string): Promise<void> {
  if (asked.has(id)) return;
  asked.add(id);
  const { data, problem } = await inBackground(
    () => api.GET('/v1/webhook', { query: { id } }),
    new AbortController().signal,
  );
  const isKnown = data !== undefined || problem?.status === 404;
  if (isKnown) found.value = new Map(found.peek()).set(id, data?.name ?? null);
  else asked.delete(id);
}

export interface WebhookNames {
  choices: readonly (readonly [id: string, name: string])[];
  nameOf(id: string): string;
}

/** The names of the webhooks, for lists that know only their ids. The same object until a name is another. */
export function useWebhookNames(): WebhookNames {
  const { rows, hasMore } = useAllWebhooks();
  const others = found.value;
  return useMemo(() => {
    const choices = (rows ?? []).map(({ id, name }) => [id, name] as const);
    const listed = new Map(choices);
    const nameOf = (id: string) => {
      const name = listed.get(id) ?? (hasMore ? others.get(id) : null);
      if (rows === undefined) return '…';
      if (name === undefined) find(id);
      return name === undefined ? '…' : (name ?? 'Deleted webhook');
    };
    return { choices, nameOf };
  }, [rows, hasMore, others]);
}
