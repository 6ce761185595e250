import { randomUUID } from 'node:crypto';
import { Injectable, NotFoundException } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { NotifierService, type RecordEvent } from 'webhook-notification-service';
import { PENDING, RecordEntity } from './record.entity.js';

@Injectable()
export class RecordsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly notifier: NotifierService,
  ) {}

  create(userId: string, name: string, kinds: string[]): Promise<RecordEntity> {
    const analyses = kinds.map((kind) => ({ id: randomUUID(), kind, status: PENDING }));
    const record = { id: randomUUID(), userId, name, status: PENDING, analyses };
    return this.dataSource.manager.save(RecordEntity, record);
  }

  /** Stores the results of some analyses of a record, or none if one of the analyses is unknown. */
  finish(userId: string, id: string, results: { id: string; status: string }[]): Promise<RecordEntity> {
    return this.dataSource.transaction(async (manager) => {
      const record = await find(manager, userId, id);
      for (const { id, status } of results) {
        const analysis = record.analyses.find((one) => one.id === id);
        if (!analysis) throw new NotFoundException(`The record has no analysis ${id}.`);
        analysis.status = status;
        await manager.save(analysis);
        // With this transaction's manager, nothing is sent for an analysis that rolls back.
        const event = { ...eventOf(record), analysis_id: id };
        await this.notifier.notify('analysis.finished', event, { manager });
      }
      if (record.analyses.every(({ status }) => status !== PENDING)) {
        await this.notifier.notify('record.finished', eventOf(record), { manager });
      }
      return record;
    });
  }

  changeStatus(userId: string, id: string, status: string): Promise<RecordEntity> {
    return this.dataSource.transaction(async (manager) => {
      const record = await find(manager, userId, id);
      record.status = status;
      await manager.save(record);
      await this.notifier.notify('record.status_changed', eventOf(record), { manager });
      return record;
    });
  }
}

/** Locks the record: of two analyses that finish at the same time, the later one must see that it is the last. */
async function find(manager: EntityManager, userId: string, id: string): Promise<RecordEntity> {
  const record = await manager.findOne(RecordEntity, {
    where: { id, userId },
    relations: { analyses: true },
    lock: { mode: 'pessimistic_write' },
  });
  if (!record) throw new NotFoundException();
  return record;
}

/** The part of a record that webhooks receive. */
function eventOf({ id, userId, name, status, analyses }: RecordEntity): RecordEvent {
  const analysis = analyses.map(({ id, kind, status }) => ({ id, kind, status }));
  return { user_id: userId, record: { id, name, status, analysis } };
}
