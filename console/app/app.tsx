import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { LocationProvider } from 'preact-iso';
import { place } from '../data/place.js';
import type { Problem } from '../data/problem.js';
import { link, start } from '../data/session.js';
import { me, signedOut } from '../data/who.js';
import { ProblemBox } from '../parts/text/boxes.js';
import { Shell } from './shell.js';
import { SignIn, SignInAgain } from './sign-in.js';
import { UseLink } from './use-link.js';

/** Links to this path and below stay in the page. */
const SCOPE = new RegExp(`^${place.base.replaceAll(/[^\w/-]/g, '\\$&')}(?:[/?#]|$)`);

export function App() {
  const problem = useSignal<Problem | undefined>(undefined);
  const begin = async () => {
    problem.value = undefined;
    problem.value = (await start()).problem;
  };
  useEffect(() => {
    begin();
  }, []);
  if (me.value !== null) {
    return (
      <LocationProvider scope={SCOPE}>
        <Shell />
        {signedOut.value && <SignInAgain />}
        {link.value !== null && <UseLink />}
      </LocationProvider>
    );
  }
  if (signedOut.value && place.session) return <SignIn />;
  if (problem.value) {
    return (
      <main class="sign-in">
        <ProblemBox problem={problem.value} onRetry={begin} />
      </main>
    );
  }
  return null;
}
