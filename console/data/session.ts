import { type Answer, call } from './call.js';
import { place } from './place.js';
import { type Me, me, signedOut } from './who.js';

const IN_FRAGMENT = /^#key=(whk_[\w-]+)$/;

/** Finds out who is there. A link with the key in its fragment signs in once, and the key leaves the address. */
export async function start(): Promise<Answer<unknown>> {
  const key = IN_FRAGMENT.exec(location.hash)?.[1];
  if (key !== undefined) {
    history.replaceState(null, '', location.pathname + location.search);
    if (place.session) {
      const answer = await signIn(key);
      // A link that has been used, or whose key is gone, is no reason to end a session that holds.
      if (answer.problem?.status !== 401) return answer;
    }
  }
  return recognise();
}

async function recognise(): Promise<Answer<unknown>> {
  const answer = (await call('GET', '/me')) as Answer<Me>;
  if (answer.data) become(answer.data);
  return answer;
}

/** Exchanges an API key for a session. The key is kept nowhere. */
export async function signIn(key: string): Promise<Answer<unknown>> {
  const answer = await call('POST', '/session', { body: { key } });
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
