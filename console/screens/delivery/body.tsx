import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.js';
import { CodeBlock } from '../../parts/text/code-block.js';
import { CopyButton } from '../../parts/text/copy.js';
import { bytes } from '../../parts/text/format.js';
import { JsonView } from '../../parts/text/json-view.js';

/** Past this a body is not shown in one piece. */
const LARGE = 64 * 1024;

/** A body: as a tree that folds, or exactly as it was. */
export function Body({ text, label, note }: { text: string; label: string; note?: string | undefined }) {
  const isExact = useSignal(false);
  const isJson = /^\s*[{[]/.test(text);
  const size = new TextEncoder().encode(text).length;
  return (
    <div class="body">
      <div class="row">
        <h3>Body</h3>
        <span class="hint">
          {bytes(size)}
          {note}
        </span>
        <span class="row end">
          {isJson && (
            <Button
              small
              look="plain"
              aria-pressed={isExact.value}
              onClick={() => (isExact.value = !isExact.value)}
            >
              Exact bytes
            </Button>
          )}
          {isJson && !isExact.value && <CopyButton text={text} label={`Copy: ${label}`} />}
        </span>
      </div>
      {isExact.value ? <Exact text={text} label={label} /> : <JsonView text={text} label={label} />}
    </div>
  );
}

const Exact = ({ text, label }: { text: string; label: string }) =>
  text.length > LARGE ? (
    <>
      <CodeBlock text={`${text.slice(0, LARGE)}…`} label={`${label}, its beginning`} />
      <CopyButton text={text} label={`Copy all: ${label}`} />
    </>
  ) : (
    <CodeBlock text={text} label={label} />
  );
