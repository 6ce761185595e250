import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { IconName } from './icon.js';

/** An entry of the palette. */
export interface Command {
  label: string;
  icon?: IconName;
  run: () => void;
}

const offered = signal<readonly (readonly Command[])[]>([]);

/** Offers a screen's own commands in the palette while it is shown. `dependency` says when they change. */
export function useCommands(commands: readonly Command[], ...dependency: unknown[]): void {
  useEffect(() => {
    offered.value = [...offered.peek(), commands];
    return () => {
      offered.value = offered.peek().filter((others) => others !== commands);
    };
  }, dependency);
}

/** The commands of what is shown, the nearest first. */
export const commandsNow = (): Command[] => offered.value.toReversed().flat();
