import {
  columnJson,
  type Form,
  isObject,
  isText,
  isTexts,
  isTextsOrNull,
} from '../../platform/json/column-json.js';
import { writeJson } from '../../platform/json/write-json.js';
import type { Vault } from '../../platform/secret/vault.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import type { WebhookAuthentication } from './authentication.js';
import type { WebhookTls } from './webhook-tls.js';

type Row = Pick<WebhookEntity, 'id' | 'sealedHeaders' | 'sealedAuthentication' | 'sealedTls'>;

/** Seals what a column keeps. @param id of the webhook. */
export const sealedOrNull = (
  vault: Vault,
  id: string,
  value: WebhookAuthentication | WebhookTls | null,
): string | null => (value === null ? null : vault.seal(writeJson(value), id));

/** @throws Error if they cannot be decrypted, or read. */
export const headersOf = (vault: Vault, { id, sealedHeaders }: Row): Record<string, string> =>
  openedJson(vault, sealedHeaders, { column: 'webhook.sealed_headers', row: id }, isTexts);

/** @throws Error if it cannot be decrypted, or read. */
export const authenticationOf = (
  vault: Vault,
  { id, sealedAuthentication: sealed }: Row,
): WebhookAuthentication | null =>
  sealed === null
    ? null
    : openedJson(vault, sealed, { column: 'webhook.sealed_authentication', row: id }, isAuthentication);

/** @throws Error if they cannot be decrypted, or read. */
export const tlsOf = (vault: Vault, { id, sealedTls: sealed }: Row): WebhookTls | null =>
  sealed === null ? null : openedJson(vault, sealed, { column: 'webhook.sealed_tls', row: id }, isTls);

/** What a sealed column of a webhook holds. @throws Error if it cannot be decrypted, or read. */
export function openedJson<T>(
  vault: Vault,
  sealed: string,
  cell: { column: string; row: string },
  isForm: Form,
): T {
  const value = columnJson<T>(vault.open(sealed, cell.row), cell, isForm);
  if (value === null) throw new Error(`${cell.column} does not hold what was stored there.`);
  return value;
}

const SECRETS: Record<WebhookAuthentication['type'], string[]> = {
  basic: ['username', 'password'],
  bearer: ['token'],
  oauth2: ['tokenUrl', 'clientId', 'clientSecret'],
};

const isAuthentication = (value: unknown) =>
  isObject(value) &&
  isTextsOrNull(value) &&
  Object.hasOwn(SECRETS, value.type as string) &&
  SECRETS[value.type as WebhookAuthentication['type']].every((name) => isText(value[name]));

const isTls = (value: unknown) =>
  isTextsOrNull(value) &&
  ['clientCertificate', 'clientKey', 'ca'].every(
    (name) => (value as Record<string, unknown>)[name] !== undefined,
  );
