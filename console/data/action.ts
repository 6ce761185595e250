import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Answer } from './call.js';
import type { Problem } from './problem.js';

/** Something that a person does, once at a time. */
export interface Action<A extends unknown[]> {
  readonly busy: boolean;
  /** Why it failed the last time. */
  readonly problem: Problem | undefined;
  run(...args: A): Promise<void>;
  /** Forgets the problem. */
  clear(): void;
}

/** @param done called with what the service answers. Use the problem, or `failed`, for the rest. */
export function useAction<A extends unknown[], D>(
  act: (...args: A) => Promise<Answer<D>>,
  done: (data: D, ...args: A) => void = () => {},
  failed: (problem: Problem, ...args: A) => void = () => {},
): Action<A> {
  const busy = useSignal(false);
  const problem = useSignal<Problem | undefined>(undefined);
  const latest = useRef({ act, done, failed });
  latest.current = { act, done, failed };
  const action = useRef<Action<A>>(undefined);
  action.current ??= {
    get busy() {
      return busy.value;
    },
    get problem() {
      return problem.value;
    },
    clear: () => {
      problem.value = undefined;
    },
    run: async (...args) => {
      if (busy.peek()) return;
      busy.value = true;
      problem.value = undefined;
      const answer = await latest.current.act(...args);
      busy.value = false;
      problem.value = answer.problem;
      if (answer.problem) latest.current.failed(answer.problem, ...args);
      else latest.current.done(answer.data, ...args);
    },
  };
  return action.current;
}
