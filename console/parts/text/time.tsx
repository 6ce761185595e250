import { useNow } from './clock.js';
import { span } from './format.js';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const localDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Up to here a time is said relative to now. */
const RECENT_MS = 24 * HOUR_MS;

/** A time: local, relative where it is recent, and in UTC on hover. `exact` always shows the local time to the second. */
export function Time({ at, exact = false }: { at: string | null | undefined; exact?: boolean }) {
  const ms = at ? Date.parse(at) : Number.NaN;
  const isRecent = Math.abs(Date.now() - ms) < RECENT_MS;
  const now = useNow(isRecent && !exact);
  if (!at || Number.isNaN(ms)) return <span class="muted">–</span>;
  return (
    <time
      dateTime={at}
      title={`${local.format(ms)}\n${at.replace('T', ' ').replace('Z', ' UTC')}`}
      class="nowrap"
    >
      {exact ? local.format(ms) : isRecent ? fromNow(ms - now) : localDay.format(ms)}
    </time>
  );
}

function fromNow(ms: number): string {
  const size = Math.abs(ms);
  if (size < 5_000) return 'just now';
  if (size < MINUTE_MS) return relative.format(Math.round(ms / 1000), 'second');
  if (size < HOUR_MS) return relative.format(Math.round(ms / MINUTE_MS), 'minute');
  return relative.format(Math.round(ms / HOUR_MS), 'hour');
}

/** How long it is until `at`, to the second. Screen readers hear the time itself, not every tick. */
export function Countdown({ to, over = 'now' }: { to: string; over?: string }) {
  const left = Date.parse(to) - useNow();
  return (
    <time dateTime={to} title={local.format(Date.parse(to))} class="nowrap" role="timer" aria-live="off">
      {left <= 0 ? over : `in ${span(left / 1000)}`}
    </time>
  );
}
