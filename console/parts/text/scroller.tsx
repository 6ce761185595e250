import type { ComponentChildren } from 'preact';

/** A part of the page that scrolls by itself: named, and reachable by keyboard. */
export const Scroller = ({
  label,
  class: classes,
  children,
}: {
  label: string;
  class?: string;
  children: ComponentChildren;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus no key scrolls it
  <section class={classes} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
