import { useSignal } from '@preact/signals';
import { Button } from '../button.js';
import { CodeBlock } from './code-block.js';
import { bytes, counted } from './format.js';
import { parseForReading, SourceNumber } from './json-source.js';
import { Scroller } from './scroller.js';

/** Entries of an object that are shown at first, and added by each press. */
const STEP = 100;
/** Levels that are open at first. */
const OPEN_DEPTH = 3;
/** A text that is longer is not taken apart until somebody wants it to be. */
const LARGE = 256 * 1024;
const HEAD = 16 * 1024;

/** A body: JSON as a tree that folds, anything else as it is. @param label what it is, for screen readers. */
export function JsonView({ text, label }: { text: string; label: string }) {
  const isWanted = useSignal(false);
  if (text.length > LARGE && !isWanted.value) {
    return (
      <div class="stack">
        <CodeBlock text={`${text.slice(0, HEAD)}…`} label={`${label}, its beginning`} />
        <div>
          <Button onClick={() => (isWanted.value = true)}>Show all {bytes(text.length)}</Button>
        </div>
      </div>
    );
  }
  const parsed = parseForReading(text);
  if (parsed === undefined) return <CodeBlock text={text} label={label} />;
  return <JsonTree value={parsed.value} label={label} />;
}

export function JsonTree({ value, label }: { value: unknown; label: string }) {
  return (
    <Scroller class="code-block json" label={label}>
      <Node value={value} depth={0} />
    </Scroller>
  );
}

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const isOpen = useSignal(depth < OPEN_DEPTH);
  const shown = useSignal(STEP);
  const before = name !== undefined && (
    <>
      <span class="name">{name}</span>:{' '}
    </>
  );
  if (typeof value !== 'object' || value === null || value instanceof SourceNumber) {
    return (
      <span class={name === undefined ? '' : 'leaf'}>
        {before}
        <Leaf value={value} />
      </span>
    );
  }
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const brackets = isList ? '[]' : '{}';
  if (entries.length === 0) {
    return (
      <span class="leaf">
        {before}
        {brackets}
      </span>
    );
  }
  const contents = isList ? counted(entries.length, 'entry', 'entries') : counted(entries.length, 'field');
  return (
    <details open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        {before}
        {brackets[0]}
        <span class="muted">{isOpen.value ? '' : ` ${contents} ${brackets[1]}`}</span>
      </summary>
      {isOpen.value && (
        <ul>
          {entries.slice(0, shown.value).map(([key, entry]) => (
            <li key={key}>
              <Node name={key} value={entry} depth={depth + 1} />
            </li>
          ))}
          {entries.length > shown.value && (
            <li>
              <Button small onClick={() => (shown.value += STEP)}>
                {counted(entries.length - shown.value, 'more', 'more')}
              </Button>
            </li>
          )}
        </ul>
      )}
      {isOpen.value && brackets[1]}
    </details>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (value instanceof SourceNumber) return <span class="number">{value.source}</span>;
  if (typeof value === 'number') return <span class="number">{String(value)}</span>;
  if (typeof value === 'string') return <span class="string">{JSON.stringify(value)}</span>;
  return <span class="word">{String(value)}</span>;
}
