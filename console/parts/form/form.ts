import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { Problem } from '../../data/problem.js';

/** One value of a form, for the part that lets it be changed. */
export interface Field<T> {
  readonly name: string;
  readonly value: T;
  set(value: T): void;
}

export interface FormState<V extends object> {
  readonly values: V;
  field<K extends keyof V & string>(name: K): Field<V[K]>;
  set(values: Partial<V>): void;
  /** Call when what was typed is stored: the next form begins empty. */
  done(): void;
}

/** What was typed and not sent, by the form's key. It lives as long as the page: it may hold credentials. */
const drafts = new Map<string, object>();

/** The values of a form. With a `key` they are there again when one comes back. */
export function useForm<V extends object>(initial: V, key?: string): FormState<V> {
  const values = useSignal<V>((key && (drafts.get(key) as V)) || initial);
  const change = (changed: Partial<V>) => {
    values.value = { ...values.peek(), ...changed };
    if (key) drafts.set(key, values.peek());
  };
  return {
    get values() {
      return values.value;
    },
    field: (name) => ({
      name,
      value: values.value[name],
      set: (value) => change({ [name]: value } as unknown as Partial<V>),
    }),
    set: change,
    done: () => {
      if (key) drafts.delete(key);
    },
  };
}

export type FieldErrors = readonly { readonly pointer: string; readonly message: string }[];

interface FormContext {
  errors: ReadonlySignal<FieldErrors>;
  /** Pointers that have a field of their own. */
  claimed: Set<string>;
}

export const FormErrors = createContext<FormContext | null>(null);

/** What the fields of a form need: the errors of the last call, and those found while typing. */
export function useFormErrors(problem: Problem | undefined, judged: FieldErrors): FormContext {
  const errors = useSignal<FieldErrors>([]);
  errors.value = problem ? [...problem.errors, ...judged] : judged;
  const claimed = useRef(new Set<string>());
  return { errors, claimed: claimed.current };
}

/** The error of the field at `pointer`, or below it. */
export function useFieldError(pointer: string): ReadonlySignal<string | undefined> {
  const form = useContext(FormErrors);
  useEffect(() => {
    form?.claimed.add(pointer);
    return () => {
      form?.claimed.delete(pointer);
    };
  }, [form, pointer]);
  return useComputed(() => form?.errors.value.find((error) => isAt(error.pointer, pointer))?.message);
}

export const isAt = (pointer: string, field: string): boolean =>
  pointer === field || pointer.startsWith(`${field}/`);
