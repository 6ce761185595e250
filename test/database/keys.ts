/** An encryption key as it is written in `ENCRYPTION_KEYS`. */
export const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

export const K1 = key('k1', 1);
export const K2 = key('k2', 2);

/** The tables and columns of encrypted values. */
export const PLACES = [
  ['webhook', 'sealed_headers'],
  ['webhook', 'sealed_authentication'],
  ['webhook', 'sealed_tls'],
  ['webhook', 'sealed_secret'],
  ['webhook', 'sealed_previous_secrets'],
  ['webhook_idempotency', 'sealed_answer'],
  ['webhook_request_head', 'sealed_head'],
] as const;
