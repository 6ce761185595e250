/** The signing secret of a webhook. */
export interface WebhookSecret {
  /** Verifies the requests sent; with `standard-asymmetric` the public key. */
  secret: string;
}

/** A new signing secret, and until when the one before it signs as well. */
export interface RotatedSecret extends WebhookSecret {
  /** Until then the previous secret signs as well; null if it does not. RFC 3339, UTC, milliseconds. */
  previousExpiresAt: string | null;
}

/** A change of a signing secret. */
export interface SecretRotation {
  /** The webhook's id. */
  id: string;
  /** For how long the replaced secret signs as well: 0 to 604800 seconds, which is 7 days. @default 86400, a day */
  overlapSeconds?: number | undefined;
  /** The new secret, of the form that the webhook's scheme takes. @default a new one */
  secret?: string | undefined;
}

/** What verifies the requests to a webhook that signs with a key pair. */
export interface PublicKey {
  /** Ed25519: `whpk_` and base64 of 32 bytes (Standard Webhooks, `v1a`). */
  publicKey: string;
}
