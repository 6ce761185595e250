import type { ComponentChildren } from 'preact';

/** Nothing is here: why, and what to do about it. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
);

/** The shape of text that is on its way. */
export const Bone = () => <span class="bone" />;

/** The shape of a block that is on its way. */
export const Bones = ({ lines = 4 }: { lines?: number }) => (
  <div class="stack" aria-busy="true">
    <span class="hidden">Loading…</span>
    {Array.from({ length: lines }, (_, line) => (
      <Bone key={line} />
    ))}
  </div>
);
