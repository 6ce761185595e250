import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { queryText, urlOf } from './call.js';
import { readEvents } from './event-stream.js';
import { inFrames } from './frames.js';
import { backoffMs, pause } from './pause.js';
import { type Problem, problemOf } from './problem.js';
import { signedOut } from './who.js';

/** `refused`: the service does not want to stream, such as because too many pages are open. */
export type StreamState = 'connecting' | 'live' | 'refused';

export interface StreamHandlers<T> {
  /** Called in frames, each time with a part of what came, in its order. */
  onItems(items: T[]): void;
  /** The connection is there, or there again, and nothing came over it yet: what was before is only in the list. */
  onConnect?(): void;
}

/** The service sends a comment every 15 s; a connection without any is dead. */
const SILENT_MS = 40_000;

/**
 * Follows Server-Sent Events while the component is there. `null` as query follows nothing.
 *
 * @param path behind the version, as in `/webhook/trigger/stream`.
 */
export function useStream<T>(
  path: string,
  query: Record<string, unknown> | null,
  event: string,
  handlers: StreamHandlers<T>,
): { readonly state: StreamState; readonly problem: Problem | undefined } {
  const state = useSignal<StreamState>('connecting');
  const problem = useSignal<Problem | undefined>(undefined);
  const latest = useRef(handlers);
  latest.current = handlers;
  const text = query === null ? null : queryText(query);

  useEffect(() => {
    if (text === null) return;
    const controller = new AbortController();
    const batch = inFrames<T>((items) => latest.current.onItems(items));
    const show = (now: StreamState, why?: Problem) => {
      if (controller.signal.aborted) return;
      state.value = now;
      problem.value = why;
    };
    follow(urlOf(path) + text, event, controller.signal, batch.add, show, () => latest.current.onConnect?.());
    return () => {
      controller.abort();
      batch.stop();
    };
  }, [path, text, event]);
  return {
    get state() {
      return state.value;
    },
    get problem() {
      return problem.value;
    },
  };
}

async function follow<T>(
  url: string,
  event: string,
  stopped: AbortSignal,
  add: (item: T) => void,
  show: (state: StreamState, problem?: Problem) => void,
  connected: () => void,
): Promise<void> {
  let lastId = '';
  let failures = 0;
  while (!stopped.aborted) {
    show('connecting');
    let waitMs: number | null = null;
    const silence = new AbortController();
    const signal = AbortSignal.any([stopped, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENT_MS);
    try {
      const headers = { Accept: 'text/event-stream', ...(lastId && { 'Last-Event-ID': lastId }) };
      const response = await fetch(url, { headers, signal, cache: 'no-store' });
      if (!response.ok || response.body === null) {
        const problem = problemOf(response, await response.json().catch(() => undefined));
        if (problem.status === 401) signedOut.value = true;
        show('refused', problem);
        // Only what may pass is asked again.
        if (![401, 429, 502, 503, 504].includes(problem.status)) return;
        waitMs = problem.retryAfterMs;
      } else {
        show('live');
        connected();
        failures = 0;
        for await (const message of readEvents(response.body)) {
          clearTimeout(timer);
          timer = setTimeout(() => silence.abort(), SILENT_MS);
          if (message === null) continue;
          if (message.id) lastId = message.id;
          if (message.event === event) add(JSON.parse(message.data) as T);
        }
      }
    } catch {
      // A connection that ends is nothing unusual: it is made anew.
    } finally {
      clearTimeout(timer);
    }
    await pause(waitMs ?? backoffMs(failures++), stopped);
  }
}
