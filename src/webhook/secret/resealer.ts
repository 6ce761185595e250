import { Injectable, Logger } from '@nestjs/common';
import type { JobHandle } from '../../jobs/job.js';
import { Jobs } from '../../jobs/jobs.js';
import { keyIdOf, Vault } from '../../platform/secret/vault.js';
import { type SealedValue, SealedValuesRepository } from './sealed-values.repository.js';

/** A process whose first key is still the old one may seal new values with it at any time. */
const AGAIN_MS = 60 * 60 * 1000;
const AGAIN_AFTER_ERROR_MS = 60 * 1000;

/** The result of one pass over all values. */
interface Resealed {
  count: number;
  /** How many values of each key could not be opened. */
  unreadable: Map<string, number>;
}

/**
 * Re-encrypts values sealed with other keys with the first one, in the background, so that old keys can be removed. Several
 * processes may do so at once: a value is replaced only if it is still the one that was read. Only processes that send do
 * this, as they do the other upkeep of the database; a process that only answers calls keeps its time for them.
 */
@Injectable()
export class Resealer {
  private readonly logger = new Logger('Encryption');
  private readonly job: JobHandle;
  private isFirst = true;

  constructor(
    private readonly values: SealedValuesRepository,
    private readonly vault: Vault,
    jobs: Jobs,
  ) {
    this.job = jobs.add({
      logger: this.logger,
      failure: 'Could not re-encrypt values',
      runs: 'sending',
      firstAfterMs: 0,
      againAfterErrorMs: AGAIN_AFTER_ERROR_MS,
      step: () => this.run(),
    });
  }

  private async run(): Promise<number | null> {
    const resealed = await this.reseal();
    if (!this.job.isStopping) this.report(resealed);
    // With one key there is nothing to reseal; a single pass reports all values that cannot be decrypted.
    return this.vault.keyIds.length === 1 ? null : AGAIN_MS;
  }

  private async reseal(): Promise<Resealed> {
    const resealed: Resealed = { count: 0, unreadable: new Map() };
    for (const table of this.values.tables) {
      for (let behind: string | null = ''; behind !== null && !this.job.isStopping; ) {
        const { values, last } = await this.values.page(table, behind);
        await this.resealSome(values, resealed);
        behind = last;
      }
    }
    return resealed;
  }

  private async resealSome(values: SealedValue[], resealed: Resealed): Promise<void> {
    const old = values.filter(({ sealed }) => keyIdOf(sealed) !== this.vault.keyIds[0]);
    const changes = old.flatMap((value) => {
      const by = this.resealed(value);
      if (by !== null) return [{ value, by }];
      const keyId = keyIdOf(value.sealed);
      resealed.unreadable.set(keyId, (resealed.unreadable.get(keyId) ?? 0) + 1);
      return [];
    });
    if (changes.length > 0) resealed.count += await this.values.replace(changes);
  }

  /** Null for a value that cannot be opened. */
  private resealed({ sealed, context }: SealedValue): string | null {
    const plain = this.vault.tryOpen(sealed, context);
    return plain === null ? null : this.vault.seal(plain, context);
  }

  private report({ count, unreadable }: Resealed): void {
    const [first, ...others] = this.vault.keyIds.map((id) => ({ id, name: `"${id}"` }));
    const unused = others.filter(({ id }) => !unreadable.has(id)).map(({ name }) => name);
    if (unused.length > 0 && (count > 0 || this.isFirst)) {
      const verb = unused.length === 1 ? 'is' : 'are';
      this.logger.log(
        `${count} values re-encrypted with key ${first?.name}; ${unused.join(', ')} ${verb} no longer used.`,
      );
    }
    for (const [id, values] of unreadable) {
      this.logger.error(
        `${values} values sealed with key "${id}" cannot be opened and were left: ${this.vault.sourceOf(id)} does not ` +
          'hold that key, or they were changed. Put the key back, behind the first one.',
      );
    }
    this.isFirst = false;
  }
}
