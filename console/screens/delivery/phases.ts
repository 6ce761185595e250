import type { WebhookAttemptDto } from 'webhook-notification-service-client';

export interface Phase {
  key: 'dns' | 'connect' | 'tls' | 'headers' | 'body' | 'rest';
  name: string;
  /** Milliseconds from the start of the attempt. */
  from: number;
  ms: number;
}

const STEPS = [
  ['dns', 'Name'],
  ['connect', 'Connect'],
  ['tls', 'TLS'],
  ['headers', 'Wait'],
] as const;

/** What an attempt spent its time with. A connection that was open already has no phases before the wait. */
export function phasesOf({
  phases,
  duration_ms,
}: Pick<WebhookAttemptDto, 'phases' | 'duration_ms'>): Phase[] {
  const found: Phase[] = [];
  let from = 0;
  for (const [key, name] of STEPS) {
    const end = phases[key];
    if (end === undefined) continue;
    found.push({ key, name, from, ms: Math.max(0, end - from) });
    from = Math.max(from, end);
  }
  const ms = duration_ms - from;
  if (phases.headers !== undefined) found.push({ key: 'body', name: 'Body', from, ms: Math.max(0, ms) });
  else if (ms > 0) found.push({ key: 'rest', name: 'Until it failed', from, ms });
  return found;
}
