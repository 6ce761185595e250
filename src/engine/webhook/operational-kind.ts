/**
 * The kinds that tell a webhook what happened to the user's other webhooks. The service makes them; nobody can report them.
 */
export type OperationalKind = 'WEBHOOK_FAILING' | 'WEBHOOK_DISABLED' | 'TRIGGER_FAILED' | 'TRIGGER_RECOVERED';

const ALL: Record<OperationalKind, true> = {
  WEBHOOK_FAILING: true,
  WEBHOOK_DISABLED: true,
  TRIGGER_FAILED: true,
  TRIGGER_RECOVERED: true,
};

export const isOperational = (kind: string): boolean => Object.hasOwn(ALL, kind);
