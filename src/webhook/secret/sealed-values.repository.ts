import { Injectable } from '@nestjs/common';
import { type EntityTarget, MoreThan, type ObjectLiteral } from 'typeorm';
import { Database } from '../../store/database.js';
import { IdempotencyEntity } from '../../store/tables/access/idempotency.entity.js';
import { RequestHeadEntity } from '../../store/tables/trigger/request-head.entity.js';
import { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';

/** Rows read at a time, and changed in one transaction. */
const PAGE = 50;

/** Where encrypted values are stored. */
interface SealedTable {
  entity: EntityTarget<ObjectLiteral>;
  /** The primary key, which is also the context that the values are sealed with. */
  key: string;
  columns: string[];
}

export interface SealedValue {
  table: SealedTable;
  column: string;
  context: string;
  sealed: string;
}

/** Every encrypted value in the database. */
@Injectable()
export class SealedValuesRepository {
  readonly tables: SealedTable[] = [
    {
      entity: WebhookEntity,
      key: 'id',
      columns: [
        'sealedHeaders',
        'sealedAuthentication',
        'sealedTls',
        'sealedSecret',
        'sealedPreviousSecrets',
      ],
    },
    { entity: IdempotencyEntity, key: 'hash', columns: ['sealedAnswer'] },
    { entity: RequestHeadEntity, key: 'id', columns: ['sealedHead'] },
  ];

  constructor(private readonly database: Database) {}

  /** The values of the next rows after a key; `last` is the key of the last row, null at the end. */
  async page(table: SealedTable, behind: string): Promise<{ values: SealedValue[]; last: string | null }> {
    const { entity, key, columns } = table;
    const rows = await this.database.run((manager) =>
      manager.find(entity, {
        select: Object.fromEntries([key, ...columns].map((column) => [column, true])),
        where: { [key]: MoreThan(behind) },
        order: { [key]: 'ASC' },
        take: PAGE,
      }),
    );
    const values = rows.flatMap((row) =>
      columns
        .filter((column) => row[column] !== null)
        .map((column) => ({ table, column, context: row[key], sealed: row[column] })),
    );
    return { values, last: rows.length === PAGE ? rows.at(-1)?.[key] : null };
  }

  /** Replaces each value that has not changed since it was read. @returns how many were replaced. */
  replace(changes: { value: SealedValue; by: string }[]): Promise<number> {
    return this.database.transaction(async (manager) => {
      let replaced = 0;
      for (const { value, by } of changes) {
        const { table, column, context, sealed } = value;
        const unchanged = { [table.key]: context, [column]: sealed };
        const { affected } = await manager.update(table.entity, unchanged, { [column]: by });
        replaced += affected ?? 0;
      }
      return replaced;
    });
  }
}
