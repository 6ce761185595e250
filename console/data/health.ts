import type { Answer } from './call.js';
import { place } from './place.js';
import { CANCELLED, UNREACHABLE } from './problem.js';

/** What the service says of itself beside its API. An application that embeds it says such things in its own way. */
export interface Health {
  /** Null where the service does not say it here. */
  readonly ready: { readonly isReady: boolean; readonly detail: string } | null;
  /** Metrics by name and labels, as they are written; null where they are not served. */
  readonly metrics: ReadonlyMap<string, number> | null;
}

const root = place.api.replace(/\/v1$/, '');

export async function readHealth(signal: AbortSignal): Promise<Answer<Health>> {
  try {
    const [ready, metrics] = await Promise.all([readReady(signal), readMetrics(signal)]);
    return { data: { ready, metrics }, etag: null };
  } catch {
    return { problem: signal.aborted ? CANCELLED : UNREACHABLE };
  }
}

async function readReady(signal: AbortSignal): Promise<Health['ready']> {
  const response = await fetch(`${root}/health/ready`, { signal, cache: 'no-store' });
  const body = await response.json().catch(() => null);
  if (response.ok && body?.checks) return { isReady: true, detail: Object.keys(body.checks).join(', ') };
  return response.status === 503 && body?.detail ? { isReady: false, detail: String(body.detail) } : null;
}

/** Any metric of the service: without it, what answers is something else. */
const OWN = 'webhook_triggers_due';

async function readMetrics(signal: AbortSignal): Promise<Health['metrics']> {
  const response = await fetch(`${root}/metrics`, { signal, cache: 'no-store' });
  if (!response.ok) return null;
  const text = await response.text();
  const metrics = new Map<string, number>();
  for (const [, name = '', value] of text.matchAll(/^([a-z]\w*(?:\{[^}]*\})?) (\S+)$/gm)) {
    metrics.set(name, Number(value));
  }
  return metrics.has(OWN) ? metrics : null;
}
