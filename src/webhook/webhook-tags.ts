import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { writeExactly } from '../platform/json/exact-json.js';
import { Problem } from '../platform/problem.js';
import { Vault } from '../platform/secret/vault.js';
import type { DecryptedWebhook } from './decrypted-webhook.js';
import { storedWebhookOf } from './webhook.js';

/** RFC 9110, 8.8.3: `W/` if the tag is weak, and the text between the quotes. */
const TAGS = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * Entity tags of webhooks (RFC 9110, 8.8.3). A tag changes with everything that is shown, events included, and with what
 * is masked, which it does not reveal because it is made with the encryption key. Tags made with a previous key are
 * still accepted.
 */
@Injectable()
export class WebhookTags {
  constructor(private readonly vault: Vault) {}

  of(webhook: DecryptedWebhook): string {
    return `"${this.vault.mac(versionOf(webhook)).toString('base64url')}"`;
  }

  /**
   * @param webhook null if there is none, which no tag names, nor `*` (RFC 9110, 13.1.1).
   * @throws Problem 412 if there is an `If-Match` and it names only other versions.
   */
  check(webhook: DecryptedWebhook | null, ifMatch: string | undefined): void {
    if (ifMatch === undefined) return;
    if (!webhook) {
      throw new Problem(
        412,
        'precondition_failed',
        'There is no webhook with this uid any more, or not yet, and nothing was created. Leave If-Match out to create it.',
      );
    }
    if (this.isNamed(webhook, ifMatch, { weakly: false })) return;
    throw new Problem(
      412,
      'precondition_failed',
      'The webhook was changed since the ETag in If-Match was answered, and stays as it is. Get it anew, and send the ' +
        'update with the ETag of that answer.',
    );
  }

  /** Whether `If-None-Match` names this version: the caller has it already. */
  isKnown(webhook: DecryptedWebhook, ifNoneMatch: string | undefined): boolean {
    return ifNoneMatch !== undefined && this.isNamed(webhook, ifNoneMatch, { weakly: true });
  }

  private isNamed(webhook: DecryptedWebhook, list: string, { weakly }: { weakly: boolean }): boolean {
    if (list.trim() === '*') return true;
    const version = versionOf(webhook);
    return [...list.matchAll(TAGS)].some(([, weak, opaque = '']) => {
      if (weak && !weakly) return false;
      const bytes = Buffer.from(opaque, 'base64url');
      return bytes.toString('base64url') === opaque && this.vault.isMac(bytes, version);
    });
  }
}

/** Hashed to keep it short, as `If-Match` may list many tags to compare. */
function versionOf(webhook: DecryptedWebhook): string {
  // A pause is no change that anybody made.
  const { pausedUntil: _, ...shownOf } = storedWebhookOf(webhook);
  const { headers, authentication, tls } = webhook;
  const shown = writeExactly([shownOf, headers, authentication, tls]);
  return `version ${createHash('sha256').update(shown).digest('hex')}`;
}
