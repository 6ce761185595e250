import type { Vault } from '../../common/secret/vault.js';
import type { WebhookEntity } from '../webhook.entity.js';
import type { WebhookAuthentication } from './authentication.js';
import type { WebhookTls } from './webhook-tls.js';

type Row = Pick<WebhookEntity, 'id' | 'sealedAuthentication' | 'sealedTls'>;

/** As a column keeps it. @param id of the webhook. */
export const sealedOrNull = (
  vault: Vault,
  id: string,
  value: WebhookAuthentication | WebhookTls | null,
): string | null => (value === null ? null : vault.seal(JSON.stringify(value), id));

export const authenticationOf = (
  vault: Vault,
  { id, sealedAuthentication }: Row,
): WebhookAuthentication | null => openedOrNull(vault, id, sealedAuthentication);

export const tlsOf = (vault: Vault, { id, sealedTls }: Row): WebhookTls | null =>
  openedOrNull(vault, id, sealedTls);

const openedOrNull = <T>(vault: Vault, id: string, sealed: string | null): T | null =>
  sealed === null ? null : (JSON.parse(vault.open(sealed, id)) as T);
