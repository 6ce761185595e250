import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { columnJson, isObject, isText, isTextsOrNull } from '../../../platform/json/column-json.js';
import { writeJson } from '../../../platform/json/write-json.js';
import { Vault } from '../../../platform/secret/vault.js';
import type { RequestHead } from './request-head.js';
import { RequestHeadRepository } from './request-head.repository.js';
import { storeAgainMs } from './request-head-times.js';

const MAX_REMEMBERED = 10_000;

/** A head with the id by which attempts name it. */
export interface NamedHead {
  id: string;
  webhookId: string;
  /** JSON: a {@link RequestHead}. */
  text: string;
}

/** Request heads, encrypted in the database: a URL may hold a token, and a header anything its owner likes. */
@Injectable()
export class RequestHeads {
  private readonly storedAt = new Map<string, number>();
  private readonly againMs: number;

  constructor(
    private readonly repository: RequestHeadRepository,
    private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) { retention }: Settings,
  ) {
    this.againMs = storeAgainMs(retention);
  }

  /** The same head gets the same id in every process. Without the encryption key the id reveals nothing about the head. */
  named(webhookId: string, head: RequestHead): NamedHead {
    const text = writeJson(head);
    const id = this.vault.mac(`request head ${webhookId} ${text}`).toString('base64url');
    return { id, webhookId, text };
  }

  /** Must come before the first attempt that names them. */
  async store(heads: NamedHead[]): Promise<void> {
    const now = this.clock.now();
    const missing = heads.filter(({ id }) => !this.isStored(id, now));
    if (missing.length === 0) return;
    await this.repository.store(
      missing.map(({ id, webhookId, text }) => ({
        id,
        webhookId,
        sealedHead: this.vault.seal(text, id),
        storedAt: now,
      })),
    );
    if (this.storedAt.size > MAX_REMEMBERED) this.storedAt.clear();
    for (const { id } of missing) this.storedAt.set(id, now);
  }

  /** The heads with these ids. Leaves out those that are gone or that no key can decrypt. */
  async read(ids: string[]): Promise<Map<string, RequestHead>> {
    const rows = await this.repository.find(ids);
    return new Map(rows.flatMap(({ id, sealedHead }) => this.opened(id, sealedHead)));
  }

  private isStored(id: string, now: number): boolean {
    const storedAt = this.storedAt.get(id);
    return storedAt !== undefined && now - storedAt < this.againMs && now >= storedAt;
  }

  private opened(id: string, sealed: string): [string, RequestHead][] {
    const plain = this.vault.tryOpen(sealed, id);
    // The resealer tells the operator. The owner still gets the rest of the trigger.
    if (plain === null) return [];
    const cell = { column: 'webhook_request_head.sealed_head', row: id };
    const head = columnJson<RequestHead>(plain, cell, isHead);
    return head ? [[id, head]] : [];
  }
}

const isHead = (value: unknown) => isObject(value) && isText(value.url) && isTextsOrNull(value.headers);
