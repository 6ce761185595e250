import { useSignal } from '@preact/signals';
import type { WebhookDto } from 'webhook-notification-service-client';
import { useAction } from '../../../data/action.js';
import { api } from '../../../data/api.js';
import { may } from '../../../data/who.js';
import { Button } from '../../../parts/button.js';
import { toastProblem } from '../../../parts/overlay/toasts.js';
import { copy } from '../../../parts/text/copy.js';
import { Countdown } from '../../../parts/text/time.js';
import { RotateDialog } from './rotate-dialog.js';

/** Hidden until somebody wants to see it: it is fetched only then. */
export function SecretBox({
  webhook,
  variable,
  refresh,
}: {
  webhook: WebhookDto;
  variable: string;
  refresh: () => void;
}) {
  const { id, previous_secrets_expire_at: earlier } = webhook;
  const secret = useSignal<string | undefined>(undefined);
  const isRotating = useSignal(false);
  const isPublic = webhook.signature.scheme === 'standard-asymmetric';
  const what = isPublic ? 'public key' : 'secret';
  const fetchSecret = () => api.GET('/v1/webhook/secret', { query: { id } });
  const showing = useAction(fetchSecret, (shown) => (secret.value = shown.secret), toastProblem);
  const copying = useAction(
    fetchSecret,
    (shown) => copy(shown.secret, isPublic ? 'Public key copied' : 'Secret copied'),
    toastProblem,
  );
  const toggle = () => {
    if (secret.value === undefined) showing.run();
    else secret.value = undefined;
  };
  return (
    <section class="stack tight" aria-labelledby="secret">
      <h2 id="secret">{isPublic ? 'Public key' : 'Signing secret'}</h2>
      <p class="muted">
        Every request is signed with {isPublic ? 'the private key that belongs to it' : 'it'}. Your receiver
        reads it from where it reads its secrets, such as the variable <code>{variable}</code>.
      </p>
      {may('webhooks:write') ? (
        <div class="secret row apart">
          <code>{secret.value ?? '••••••••••••••••••••••••'}</code>
          <span class="row">
            <Button
              small
              icon="eye"
              busy={showing.busy}
              aria-pressed={secret.value !== undefined}
              onClick={toggle}
            >
              {secret.value === undefined ? 'Show' : 'Hide'}
              <span class="hidden"> the {what}</span>
            </Button>
            <Button small icon="copy" busy={copying.busy} onClick={() => copying.run()}>
              Copy<span class="hidden"> the {what}</span>
            </Button>
            <Button small icon="again" onClick={() => (isRotating.value = true)}>
              Rotate<span class="hidden"> the {what}</span>
            </Button>
          </span>
        </div>
      ) : (
        <p>Your key may not see it.</p>
      )}
      {earlier.length > 0 && (
        <ul class="plain-list">
          {earlier.map((at, index) => (
            <li key={at}>
              {index === 0 ? 'The one before' : 'One before that'} signs as well, and ends{' '}
              <Countdown to={at} />.
            </li>
          ))}
        </ul>
      )}
      {isRotating.value && (
        <RotateDialog
          webhook={webhook}
          what={what}
          onDone={(rotated) => {
            if (secret.value !== undefined) secret.value = rotated;
            refresh();
          }}
          onClose={() => (isRotating.value = false)}
        />
      )}
    </section>
  );
}
