import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { useList } from '../data/list.js';
import { lookAt, whose } from '../data/who.js';
import { Button } from '../parts/button.js';

/** An admin picks whose webhooks he looks at. Users are known by their keys and webhooks; any other can be typed. */
export function Whose() {
  const id = useId();
  const typed = useSignal(whose.value ?? '');
  const keys = useList('/v1/api-key/list', {}, { pageSize: 100, freshMs: 60_000 });
  const webhooks = useList('/v1/webhook/list', {}, { pageSize: 100, freshMs: 60_000 });
  const users = new Set([...(keys.rows ?? []), ...(webhooks.rows ?? [])].map(({ user_id }) => user_id));
  const look = (text: string) => {
    typed.value = text;
    lookAt(text.trim() || null);
  };
  return (
    <div class="field">
      <label for={id}>Whose webhooks</label>
      <div class="with-button">
        <input
          id={id}
          class="input"
          list={`${id}-users`}
          placeholder="Everybody’s"
          value={typed.value}
          autocomplete="off"
          spellcheck={false}
          maxLength={128}
          onInput={(event) => (typed.value = event.currentTarget.value)}
          // Enter, leaving the field, or picking from the list.
          onChange={(event) => look(event.currentTarget.value)}
        />
        {whose.value !== null && (
          <Button look="plain" icon="cross" label="Look at everybody’s" onClick={() => look('')} />
        )}
      </div>
      <datalist id={`${id}-users`}>
        {[...users].sort().map((user) => (
          <option key={user} value={user} />
        ))}
      </datalist>
    </div>
  );
}
