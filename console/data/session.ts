import { signal } from '@preact/signals';
import { type Answer, call } from './call.js';
import { place } from './place.js';
import { type Me, me, signedOut } from './who.js';

const IN_FRAGMENT = /^#(code|key)=([\w-]+)$/;

/** The code of the link that led here, until it is used or dismissed. */
export const link = signal<string | null>(null);
/** The link that led here was of no use any more. */
export const linkIsOver = signal(false);

/** Finds out who is there. A link signs in where nobody is; a session that holds it replaces only if one says so. */
export async function start(): Promise<Answer<unknown>> {
  takeLink();
  const answer = await recognise();
  return link.value !== null && answer.problem?.status === 401 ? signInByLink() : answer;
}

/** Takes the code out of the address, and a key as well, which signs in nowhere. */
function takeLink(): void {
  const found = IN_FRAGMENT.exec(location.hash);
  if (!found) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (place.session && found[1] === 'code') link.value = found[2] ?? null;
}

async function recognise(): Promise<Answer<unknown>> {
  const answer = (await call('GET', '/me')) as Answer<Me>;
  if (answer.data) become(answer.data);
  return answer;
}

/** Exchanges an API key for a session. The key is kept nowhere. */
export const signIn = (key: string): Promise<Answer<unknown>> => open({ key });

/** Exchanges the link's code for a session. */
export async function signInByLink(): Promise<Answer<unknown>> {
  const answer = await open({ code: link.value });
  if (answer.problem === undefined || answer.problem.status === 401) link.value = null;
  linkIsOver.value = answer.problem?.status === 401;
  return answer;
}

async function open(body: object): Promise<Answer<unknown>> {
  const answer = await call('POST', '/session', { body });
  return answer.problem ? answer : recognise();
}

export async function signOut(): Promise<Answer<unknown>> {
  const answer = await call('DELETE', '/session');
  // Nothing of it stays in memory.
  if (answer.problem === undefined || answer.problem.status === 401) location.assign(place.base || '/');
  return answer;
}

function become(caller: Me): void {
  const before = me.peek();
  // What is shown belongs to somebody else.
  if (before !== null && before.user_id !== caller.user_id) location.assign(place.base || '/');
  signedOut.value = false;
  me.value = caller;
}
