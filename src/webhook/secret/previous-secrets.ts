import type { Vault } from '../../common/secret/vault.js';
import type { WebhookEntity } from '../webhook.entity.js';

/** A secret that was rotated out and signs until its end. */
export interface PreviousSecret {
  secret: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** The previous secrets of a webhook that sign now, the newest first. */
export function livePrevious(
  vault: Vault,
  { id, sealedPreviousSecrets: sealed }: WebhookEntity,
  now: number,
): PreviousSecret[] {
  if (sealed === null) return [];
  const secrets = JSON.parse(vault.open(sealed, id)) as PreviousSecret[];
  return secrets.filter(({ expiresAt }) => now < expiresAt);
}

export const sealPrevious = (vault: Vault, id: string, secrets: PreviousSecret[]): string | null =>
  secrets.length === 0 ? null : vault.seal(JSON.stringify(secrets), id);
