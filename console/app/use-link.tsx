import { useAction } from '../data/action.js';
import { link, signInByLink } from '../data/session.js';
import { me } from '../data/who.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/overlay/dialog.js';
import { ProblemBox } from '../parts/text/boxes.js';

/**
 * Asks before a link replaces the session: whoever sent the link may want what is typed next to land in an account of
 * their own.
 */
export function UseLink() {
  const use = useAction(signInByLink);
  return (
    <Dialog title="Sign in by this link?" locked onClose={() => {}}>
      <p>
        You are signed in as <strong>{me.value?.user_id}</strong>. The link that brought you here signs in
        somebody else, perhaps. Use it only if you asked for it.
      </p>
      {use.problem && <ProblemBox problem={use.problem} />}
      <div class="dialog-end">
        <Button onClick={() => use.run()} busy={use.busy}>
          Sign in by the link
        </Button>
        <Button look="primary" onClick={() => (link.value = null)}>
          Stay signed in
        </Button>
      </div>
    </Dialog>
  );
}
