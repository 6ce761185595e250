import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../data/api.js';
import { pause } from '../../data/pause.js';
import type { FieldErrors } from '../../parts/form/form.js';

/** Somebody who types is left alone. */
const PAUSE_MS = 500;

export interface Judgement {
  errors: FieldErrors;
  /** Whether this is what the service says about what is typed now. */
  isSaid: boolean;
}

/**
 * What the service says about a new webhook while it is typed, above all about its address. It is asked to create one
 * without a name, which it never does: it names all that is wrong.
 */
export function useJudgement(body: object, isAsked: boolean): Judgement {
  const judgement = useSignal<Judgement>({ errors: [], isSaid: false });
  const text = JSON.stringify({ ...body, name: undefined });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    judgement.value = { ...judgement.peek(), isSaid: false };
    const judge = async () => {
      await pause(PAUSE_MS, signal);
      if (signal.aborted) return;
      const { problem } = await api.POST('/v1/webhook', { body: JSON.parse(text), signal } as never);
      if (signal.aborted) return;
      const isAboutFields = problem?.code === 'validation_failed';
      const errors = isAboutFields ? problem.errors.filter(({ pointer }) => pointer !== '/name') : [];
      judgement.value = { errors, isSaid: isAboutFields };
    };
    if (isAsked) judge();
    else judgement.value = { errors: [], isSaid: false };
    return () => controller.abort();
  }, [text, isAsked]);
  return judgement.value;
}
