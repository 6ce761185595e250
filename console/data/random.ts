/** 128 random bits. `crypto.randomUUID` is missing where the page comes over plain HTTP from another machine. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

let last = { body: '', key: '' };

/** An `Idempotency-Key`: the same as long as the same is sent, so that pressing twice creates once. */
export function idempotencyKey(body: unknown): string {
  const text = JSON.stringify(body);
  if (text !== last.body) last = { body: text, key: randomId() };
  return last.key;
}

/** What was sent has been stored: the same once more is meant to be another one. */
export function sent(): void {
  last = { body: '', key: '' };
}
