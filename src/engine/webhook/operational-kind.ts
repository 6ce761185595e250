const KINDS = ['WEBHOOK_FAILING', 'WEBHOOK_DISABLED', 'TRIGGER_FAILED', 'TRIGGER_RECOVERED'] as const;

/**
 * The kinds that tell a webhook what happened to the user's other webhooks. The service makes them; nobody can report them.
 */
export type OperationalKind = (typeof KINDS)[number];

const ALL: ReadonlySet<string> = new Set(KINDS);

export const isOperational = (kind: string): boolean => ALL.has(kind);
