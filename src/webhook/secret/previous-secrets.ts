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
  return sealed === null ? [] : liveOf(vault.open(sealed, id), now);
}

/** @param plain of the column, decrypted. */
export const liveOf = (plain: string, now: number): PreviousSecret[] =>
  (JSON.parse(plain) as PreviousSecret[]).filter(({ expiresAt }) => now < expiresAt);

/** The same without those that cannot be decrypted any more, so that they can be replaced. */
export function readablePrevious(vault: Vault, row: WebhookEntity, now: number): PreviousSecret[] {
  const plain = row.sealedPreviousSecrets && vault.tryOpen(row.sealedPreviousSecrets, row.id);
  return plain ? liveOf(plain, now) : [];
}

export const sealPrevious = (vault: Vault, id: string, secrets: PreviousSecret[]): string | null =>
  secrets.length === 0 ? null : vault.seal(JSON.stringify(secrets), id);
