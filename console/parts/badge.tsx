import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';

export type Tone = 'good' | 'bad' | 'warn' | 'wait' | 'muted';

const ICONS: Record<Tone, IconName> = {
  good: 'check',
  bad: 'cross',
  warn: 'warning',
  wait: 'clock',
  muted: 'dash',
};

/** A state: by its words and its sign, and by colour besides. */
export function Badge({
  tone,
  icon = ICONS[tone],
  children,
}: {
  tone: Tone;
  icon?: IconName;
  children: ComponentChildren;
}) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={icon} size={12} />
      {children}
    </span>
  );
}

/** A name that machines use, such as a kind of event. */
export const Tag = ({ children }: { children: string }) => (
  <span class="tag" title={children}>
    {children}
  </span>
);
