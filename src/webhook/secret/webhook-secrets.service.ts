import { Inject, Injectable } from '@nestjs/common';
import { readablePrevious, sealPrevious } from '../../engine/webhook/previous-secrets.js';
import { openedSecret, shownSecret } from '../../engine/webhook/webhook-signature.js';
import type { Owner } from '../../platform/access/owner.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { toDateTime } from '../../platform/json/json-time.js';
import { invalid, notFound, Problem } from '../../platform/problem.js';
import { newSecretOf, publicKeyOf } from '../../platform/secret/signing-secret.js';
import { Vault } from '../../platform/secret/vault.js';
import { parseBody } from '../../rest/validation.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import { faultOfSecret, rotateSecretInput } from '../dto/secret.dto.js';
import { WebhookRepository } from '../webhook.repository.js';
import { WebhookLock } from '../webhook-lock.service.js';
import type { PublicKey, RotatedSecret, SecretRotation } from './webhook-secret.js';

/** Includes the newest secret. Each request carries one signature per secret. */
const MAX_SECRETS = 5;

/** The secrets that sign the requests to a webhook. */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly lock: WebhookLock,
    private readonly webhooks: WebhookRepository,
    private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Makes a new secret. The replaced one signs too for a while, so receivers can change over one by one. Secrets replaced
   * earlier sign until their own end. Passing the webhook's current secret changes nothing.
   *
   * @throws Problem 400 naming every bad field, 404, 409 `too_many_secrets`, 409 `user_moved`
   */
  async rotate(owner: Owner, rotation: SecretRotation): Promise<RotatedSecret> {
    const { id, overlapSeconds, secret: given } = parseBody(rotateSecretInput, rotation);
    return this.lock.changing(owner, id, async (manager, found) => {
      const { signatureScheme: scheme } = found.row;
      const fault = given === undefined ? null : faultOfSecret(scheme, given);
      if (fault !== null) throw invalid([{ pointer: '/secret', message: fault }]);
      const secret = given ?? newSecretOf(scheme);
      const { changes, previousExpiresAt } = this.changed(found.row, overlapSeconds, secret);
      if (changes) await this.webhooks.update(manager, id, changes);
      return {
        secret: shownSecret(scheme, secret),
        previousExpiresAt: previousExpiresAt === null ? null : toDateTime(previousExpiresAt),
      };
    });
  }

  /**
   * The public key of a webhook whose scheme is `standard-asymmetric`.
   *
   * @throws Problem 404, 409 `no_key_pair`, 409 `secret_unreadable`
   */
  async publicKey(owner: Owner, id: string): Promise<PublicKey> {
    const found = await this.webhooks.find(owner, id);
    if (!found) throw notFound('webhook');
    const publicKey = publicKeyOf(openedSecret(this.vault, found.row));
    if (found.row.signatureScheme === 'standard-asymmetric' && publicKey !== null) return { publicKey };
    throw new Problem(
      409,
      'no_key_pair',
      `This webhook signs with a secret (its signature scheme is ${found.row.signatureScheme}), which ` +
        'GET /v1/webhook/secret shows. Only standard-asymmetric has a public key.',
    );
  }

  private changed(row: WebhookEntity, overlapSeconds: number, secret: string) {
    const now = this.clock.now();
    const live = readablePrevious(this.vault, row, now);
    const current = this.vault.tryOpen(row.sealedSecret, row.id);
    // This is a repeated call whose first answer was lost.
    if (secret === current) return { changes: null, previousExpiresAt: live[0]?.expiresAt ?? null };
    const others = live.filter((previous) => previous.secret !== secret);
    const expiresAt = now + overlapSeconds * 1000;
    // A secret that cannot be decrypted any more cannot sign either: it is simply replaced.
    const overlaps = current !== null && overlapSeconds > 0;
    const previous = overlaps ? [{ secret: current, expiresAt }, ...others] : others;
    if (previous.length >= MAX_SECRETS) throw tooMany(others.map((one) => one.expiresAt));
    return {
      changes: {
        sealedSecret: this.vault.seal(secret, row.id),
        sealedPreviousSecrets: sealPrevious(this.vault, row.id, previous),
      },
      previousExpiresAt: overlaps ? expiresAt : null,
    };
  }
}

const tooMany = (ends: number[]) =>
  new Problem(
    409,
    'too_many_secrets',
    `No more than ${MAX_SECRETS} secrets may sign. The next of the previous ones expires on ` +
      `${toDateTime(Math.min(...ends))}; rotate then, or with "overlap_seconds" 0.`,
  );
