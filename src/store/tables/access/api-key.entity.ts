import { SCOPES, type Scope } from '../../../platform/access/scope.js';
import { Column, Table } from '../../table.js';

/** A row of `webhook_api_key`. The key itself is never stored. */
@Table('webhook_api_key', {
  indices: [{ name: 'webhook_api_key_hash', columns: ['hash'], unique: true }],
})
export class ApiKeyEntity {
  @Column.ascii(36, { primary: true }) id: string;
  @Column.unicode(128) userId: string;
  @Column.unicode(128, { nullable: true }) name: string | null;
  /** Space separated. */
  @Column.ascii(128) scopes: string;
  /** SHA-256 of the key, hexadecimal. */
  @Column.ascii(64) hash: string;
  @Column.time() createdAt: number;
  @Column.time({ nullable: true }) lastUsedAt: number | null;
}

/** The scopes of a row. What is none, as somebody changed the column, allows nothing. */
export const scopesOf = ({ scopes }: Pick<ApiKeyEntity, 'scopes'>): Scope[] =>
  scopes.split(' ').filter((scope): scope is Scope => SCOPES.includes(scope as Scope));

/** Whether a key moves with its user. An admin's is for all users of this cell, and stays. */
export const isOfUser = ({ scopes }: Pick<ApiKeyEntity, 'scopes'>) => !scopes.split(' ').includes('admin');
