import { useLocation } from 'preact-iso';
import { to } from '../data/place.js';
import { goOn } from './navigation.js';

/** The part of the state of a screen that is in its address, such as filters: they can be linked to, and come back. */
export function useAddress<K extends string>(
  ...names: readonly K[]
): { readonly values: Record<K, string>; set(changed: Partial<Record<K, string>>): void } {
  const { query, path, route } = useLocation();
  const values = Object.fromEntries(names.map((name) => [name, query[name] ?? ''])) as Record<K, string>;
  return {
    values,
    set(changed) {
      const all = Object.entries({ ...query, ...changed }).filter(([, value]) => value);
      const text = new URLSearchParams(all as [string, string][]).toString();
      route(path + (text && `?${text}`), true);
    },
  };
}

/** Goes to a screen: `const go = useGo(); go('/webhooks')`. */
export function useGo(): (path: string) => void {
  const { route } = useLocation();
  return (path) => {
    goOn();
    route(to(path));
  };
}
