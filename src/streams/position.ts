import { Injectable } from '@nestjs/common';
import { Vault } from '../platform/secret/vault.js';

const ID_BYTES = 8;

/**
 * Writes and reads positions: the id of a change, within an epoch of the watch, where a client goes on. The ids count what happens
 * to all users, so a position tells a client nothing: neither its id, nor, by being the same text again, that nothing happened.
 */
@Injectable()
export class Positions {
  constructor(private readonly vault: Vault) {}

  /** Another text each time, of the same length. */
  write(id: number, epoch: string): string {
    const bytes = Buffer.alloc(ID_BYTES);
    bytes.writeBigUInt64BE(BigInt(id));
    return this.vault.wrap(bytes, purposeOf(epoch));
  }

  /** The id that a position names; null if it is of another epoch, or none. */
  read(position: string, epoch: string): number | null {
    const bytes = this.vault.unwrap(position, purposeOf(epoch));
    return bytes?.length === ID_BYTES ? Number(bytes.readBigUInt64BE()) : null;
  }
}

const purposeOf = (epoch: string) => `stream ${epoch}`;
