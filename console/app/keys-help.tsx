import { keysNow } from '../parts/keyboard.js';
import { Dialog } from '../parts/overlay/dialog.js';

/** The keys that work on this screen. */
export function KeysHelp({ onClose }: { onClose: () => void }) {
  const keys = [
    ...keysNow().map(({ key, does }) => [key, does] as const),
    ['Ctrl K', 'Search and commands'] as const,
    ['Esc', 'Close what is open'] as const,
  ];
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {keys.map(([key, does]) => [
          <dt key={`${key} key`}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={`${key} does`}>{does}</dd>,
        ])}
      </dl>
    </Dialog>
  );
}
