import { Injectable } from '@nestjs/common';
import { ConfigError } from '../../platform/config/config-error.js';
import { isDatabaseUnavailable } from '../../platform/database-error.js';
import { Vault } from '../../platform/secret/vault.js';
import type { EncryptionKeyEntity } from '../../store/tables/webhook/encryption-key.entity.js';
import { EncryptionKeyRepository } from './encryption-key.repository.js';

/** How many values of a database without check values are tried. One that opens is enough: others may be damaged. */
const SAMPLES = 20;

/** Checks at the start that the keys are those that the database was written with, before they seal anything. */
@Injectable()
export class EncryptionKeyCheck {
  constructor(
    private readonly vault: Vault,
    private readonly repository: EncryptionKeyRepository,
  ) {}

  /**
   * Compares each key with the check value stored under its id, and stores one for each new id. A database that does not
   * answer passes: it may be back before it is needed.
   *
   * @throws ConfigError naming every wrong key.
   */
  async run(): Promise<void> {
    try {
      const added = await this.addNew(await this.repository.all());
      // Another process may have added a different key under the same id in the meantime.
      if (added) this.refuse(this.wrongOf(await this.repository.all()));
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
    }
  }

  /** @returns whether there were new keys. */
  private async addNew(known: EncryptionKeyEntity[]): Promise<boolean> {
    const fresh = this.vault.keyIds.filter((id) => !known.some((row) => row.id === id));
    const wrong = this.wrongOf(known);
    for (const id of fresh) if (!(await this.opensStored(id))) wrong.push(id);
    this.refuse(wrong);
    if (fresh.length === 0) return false;
    await this.repository.add(fresh.map((id) => ({ id, sealedCheck: this.vault.seal('', id, id) })));
    return true;
  }

  private wrongOf(known: EncryptionKeyEntity[]): string[] {
    return known
      .filter(({ id, sealedCheck }) => this.vault.keyIds.includes(id) && !this.vault.opens(sealedCheck, id))
      .map(({ id }) => id);
  }

  /** Whether a key without a check value opens what is sealed under its id. True if nothing is. */
  private async opensStored(keyId: string): Promise<boolean> {
    const rows = await this.repository.sealedWith(keyId, SAMPLES);
    return rows.length === 0 || rows.some(({ id, sealedSecret }) => this.vault.opens(sealedSecret, id));
  }

  private refuse(wrong: string[]): void {
    if (wrong.length === 0) return;
    throw new ConfigError(
      wrong.map(
        (id) =>
          `${this.vault.sourceOf(id)}: the database was written with another key under the id "${id}". Restore that ` +
          'key; or, if this is a new one, give it another id and keep the former key behind it: ' +
          `new-id:…,${id}:…`,
      ),
    );
  }
}
