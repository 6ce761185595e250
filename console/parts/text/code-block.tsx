import { CopyButton } from './copy.js';
import { Scroller } from './scroller.js';

/** Code or a body as it is, to read and to copy. @param label what it is, for screen readers. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block">
      <Scroller label={label}>
        <pre>{text}</pre>
      </Scroller>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}
