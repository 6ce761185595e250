import { isObject, isText } from '../../platform/json/column-json.js';
import { writeJson } from '../../platform/json/write-json.js';
import type { Vault } from '../../platform/secret/vault.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import { openedJson } from './sealed-authentication.js';

/** A secret that was rotated out and signs until its end. */
export interface PreviousSecret {
  secret: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** The previous secrets of a webhook that sign now, the newest first. @throws Error if they cannot be decrypted, or read. */
export function livePrevious(
  vault: Vault,
  { id, sealedPreviousSecrets: sealed }: Pick<WebhookEntity, 'id' | 'sealedPreviousSecrets'>,
  now: number,
): PreviousSecret[] {
  if (sealed === null) return [];
  const cell = { column: 'webhook.sealed_previous_secrets', row: id };
  return openedJson<PreviousSecret[]>(vault, sealed, cell, arePrevious).filter(
    ({ expiresAt }) => now < expiresAt,
  );
}

const arePrevious = (value: unknown) =>
  Array.isArray(value) &&
  value.every((one) => isObject(one) && isText(one.secret) && Number.isFinite(one.expiresAt));

/** The same without those that cannot be read any more, so that they can be replaced. */
export function readablePrevious(vault: Vault, row: WebhookEntity, now: number): PreviousSecret[] {
  try {
    return livePrevious(vault, row, now);
  } catch {
    return [];
  }
}

export const sealPrevious = (vault: Vault, id: string, secrets: PreviousSecret[]): string | null =>
  secrets.length === 0 ? null : vault.seal(writeJson(secrets), id);
