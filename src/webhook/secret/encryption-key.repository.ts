import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import { Database } from '../../store/database.js';
import { EncryptionKeyEntity } from '../../store/tables/webhook/encryption-key.entity.js';
import { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';

/** What proves that a key is the one that the database was written with. */
@Injectable()
export class EncryptionKeyRepository {
  constructor(private readonly database: Database) {}

  all(): Promise<EncryptionKeyEntity[]> {
    return this.database.run((manager) => manager.find(EncryptionKeyEntity));
  }

  /** Adds the rows whose ids are new, and leaves the others. */
  async add(rows: EncryptionKeyEntity[]): Promise<void> {
    await this.database.run((manager) =>
      manager.createQueryBuilder().insert().into(EncryptionKeyEntity).values(rows).orIgnore().execute(),
    );
  }

  /** The newest webhooks whose secret is sealed with the key of this id. */
  sealedWith(keyId: string, count: number): Promise<Pick<WebhookEntity, 'id' | 'sealedSecret'>[]> {
    const prefix = `${keyId}.`;
    return this.database.run((manager) =>
      manager.find(WebhookEntity, {
        select: { id: true, sealedSecret: true },
        where: {
          sealedSecret: Raw((column) => `SUBSTR(${column}, 1, ${prefix.length}) = :prefix`, { prefix }),
        },
        order: { id: 'DESC' },
        take: count,
      }),
    );
  }
}
