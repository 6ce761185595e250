import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../data/action.js';
import { place } from '../data/place.js';
import type { Problem } from '../data/problem.js';
import { linkIsOver, signIn } from '../data/session.js';
import { Button } from '../parts/button.js';
import { TextField } from '../parts/form/fields.js';
import { Form } from '../parts/form/form-box.js';
import { Dialog } from '../parts/overlay/dialog.js';
import { Brand } from './brand.js';

/** Asks for an API key, once. */
export function SignIn() {
  useEffect(() => {
    document.title = 'Sign in · Webhooks';
  }, []);
  return (
    <main class="sign-in">
      <div class="sign-in-box">
        <Brand />
        <h1>Sign in</h1>
        {linkIsOver.value && (
          <p role="status">The link was used before, or is older than ten minutes. A key signs in as well.</p>
        )}
        <SignInForm />
      </div>
    </main>
  );
}

/** The session has ended meanwhile. What is behind the dialog, and what was typed there, stays. */
export function SignInAgain() {
  if (!place.session) {
    return (
      <Dialog title="You are no longer signed in" locked onClose={() => {}}>
        <p>Sign in to the application that this page belongs to, and load the page anew.</p>
        <div class="dialog-end">
          <Button look="primary" onClick={() => location.reload()}>
            Load the page anew
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Your session has ended" locked onClose={() => {}}>
      <p class="muted">Sign in to go on where you were. Nothing that you typed is lost.</p>
      <SignInForm />
    </Dialog>
  );
}

function SignInForm() {
  const key = useSignal('');
  const signing = useAction((typed: string) => signIn(typed));
  return (
    <Form
      problem={signing.problem && plain(signing.problem)}
      onSubmit={() => signing.run(key.value.trim())}
      end={
        <Button type="submit" look="primary" busy={signing.busy}>
          Sign in
        </Button>
      }
    >
      <TextField
        label="API key"
        field={{ name: 'key', value: key.value, set: (text) => (key.value = text) }}
        hint="It begins with whk_. The page does not keep it: a session of 12 hours takes its place."
        type="password"
        placeholder="whk_…"
        autocomplete="current-password"
        required
        autofocus
        mono
      />
    </Form>
  );
}

/** What the service says about a missing key would puzzle somebody who has just typed one. */
const plain = (problem: Problem): Problem =>
  problem.status === 401
    ? {
        ...problem,
        detail: 'This is not a key of this service.',
        errors: [{ pointer: '/key', message: 'No such key.' }],
      }
    : problem;
