import { computed, signal } from '@preact/signals';

export type Scope = 'webhooks:read' | 'webhooks:write' | 'notifications:write' | 'admin';

/** The caller, as `GET /v1/me` answers. */
export interface Me {
  readonly user_id: string;
  readonly scopes: readonly Scope[];
}

export const me = signal<Me | null>(null);

/** The service knew nobody behind the last call: there is no session yet, or it has ended. */
export const signedOut = signal(false);

export const isAdmin = computed(() => me.value?.scopes.includes('admin') === true);

/** Whether the caller may do what needs `scope`. */
export const may = (scope: Scope): boolean =>
  isAdmin.value || me.value?.scopes.includes(scope) === true;

const KEPT = 'whose';

/** Whose webhooks an admin looks at; null for everybody's. */
export const whose = signal<string | null>(sessionStorage.getItem(KEPT));

export function lookAt(userId: string | null): void {
  whose.value = userId;
  if (userId === null) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, userId);
}

/** For the query of lists and statistics: `query: { ...ofWhom(), enabled: 'true' }`. */
export const ofWhom = (): { user_id?: string } =>
  isAdmin.value && whose.value !== null ? { user_id: whose.value } : {};
