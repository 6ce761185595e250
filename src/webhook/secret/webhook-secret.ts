/** The signing secret of a webhook. */
export interface WebhookSecret {
  /** Verifies the requests sent (Standard Webhooks): `whsec_` and base64. */
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
  /** The new secret: `whsec_` and base64 of 24 to 64 bytes. @default a new one */
  secret?: string | undefined;
}
