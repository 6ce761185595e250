import address from '../../../../docs/verify.md';
import type { Answer } from '../../../data/call.js';
import { UNREACHABLE } from '../../../data/problem.js';
import { type Resource, useResource } from '../../../data/resource.js';

/** It changes with the page. */
const FRESH_MS = 1e9;

type Code = Readonly<Record<string, string>>;

/** The functions that verify a request, by language. They are part of the page, and come when somebody wants to see them. */
export const useVerifyCode = (): Resource<Code> =>
  useResource<Code>('code that verifies', load, { freshMs: FRESH_MS });

async function load(signal: AbortSignal): Promise<Answer<Code>> {
  try {
    const response = await fetch(address, { signal });
    if (response.ok) return { data: (await response.json()) as Code, etag: null };
  } catch {
    // Said below: it is no other than one that was refused.
  }
  return { problem: { ...UNREACHABLE, detail: 'The code could not be loaded.' } };
}
