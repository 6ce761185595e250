import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface Tab<K extends string> {
  key: K;
  label: string;
  /** Called when the tab is shown. */
  content: () => ComponentChildren;
}

/** Tabs by the pattern of WAI-ARIA: the arrows move between them. @param label what they are about. */
export function Tabs<K extends string>({
  label,
  tabs,
  shown,
  onShow,
}: {
  label: string;
  tabs: readonly Tab<K>[];
  shown: K;
  onShow: (key: K) => void;
}) {
  const id = useId();
  const index = Math.max(
    0,
    tabs.findIndex(({ key }) => key === shown),
  );
  const move = (event: KeyboardEvent) => {
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    const tab = tabs[(to + tabs.length) % tabs.length];
    if (!tab) return;
    event.preventDefault();
    onShow(tab.key);
    document.getElementById(`${id}-${tab.key}`)?.focus();
  };
  const current = tabs[index];
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            type="button"
            role="tab"
            key={tab.key}
            id={`${id}-${tab.key}`}
            aria-selected={tab === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => onShow(tab.key)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div key={current?.key} role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current?.key}`}>
        {current?.content()}
      </div>
    </>
  );
}
