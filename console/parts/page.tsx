import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.js';
import { cameBack } from './navigation.js';

/** What every screen is made of: a heading with what can be done here, and the rest. It also names the document. */
export function Page({
  title,
  lead,
  back,
  actions,
  narrow = false,
  children,
}: {
  title: string;
  /** A sentence below the heading. */
  lead?: ComponentChildren;
  /** The list that this belongs to. */
  back?: { href: string; text: string };
  actions?: ComponentChildren;
  /** For text and forms, which nobody wants to read across a wide window. */
  narrow?: boolean;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = title === 'Webhooks' ? title : `${title} · Webhooks`;
  }, [title]);
  // A screen reader begins to read here, as on a page of its own. At once, or it would take the focus from where a key has put it.
  useLayoutEffect(() => {
    if (!cameBack()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="page">
      <div class={narrow ? 'narrow' : undefined}>
        {back && (
          <a class="back" href={back.href}>
            <Icon name="left" size={12} />
            {back.text}
          </a>
        )}
        <div class="page-head">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {actions && <div class="actions">{actions}</div>}
          {lead && <p>{lead}</p>}
        </div>
        {children}
      </div>
    </div>
  );
}
