import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type JsonRowType, jsonRows, updateFromRows } from '../database/json-rows.js';
import type { TriggerStatus } from '../trigger/trigger.entity.js';

/** The result of one attempt, as it is stored. Times are epoch milliseconds. */
export interface Settled {
  id: string;
  /** The lease under which the attempt was made; under another one the result counts for nothing. */
  lease: number;
  /** The attempt's number. */
  number: number;
  status: TriggerStatus;
  beginAt: number;
  endAt: number;
  nextAttemptAt: number | null;
  request: string;
  response: string | null;
  responseBody: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  phases: string;
}

const COLUMNS: Record<string, JsonRowType> = {
  id: 'id',
  lease: 'integer',
  number: 'integer',
  status: 'word',
  begin_at: 'integer',
  end_at: 'integer',
  next_attempt_at: 'integer',
  request: 'text',
  response: 'text',
  response_body: 'text',
  error_code: 'word',
  error_message: 'text',
  phases: 'text',
};

/** Columns of the trigger, and what each is set to from a settled row `j`. `t` is the trigger before. */
const CHANGES = {
  status: 'j.status',
  attempt_count: 'j.number',
  begin_at: 'COALESCE(t.begin_at, j.begin_at)',
  end_at: 'CASE WHEN j.next_attempt_at IS NULL THEN j.end_at END',
  next_attempt_at: 'j.next_attempt_at',
  leased_by: 'NULL',
  lease: 't.lease + 1',
  request: 'j.request',
  response: 'j.response',
  response_body: 'j.response_body',
  error_code: 'j.error_code',
  error_message: 'j.error_message',
};

@Injectable()
export class SettlementRepository {
  private readonly updateTriggers: string;
  private readonly insertAttempts: string;

  constructor(private readonly database: Database) {
    this.updateTriggers = updateFromRows(
      database.dialect,
      'webhook_trigger',
      COLUMNS,
      CHANGES,
      't.id = j.id AND t.lease = j.lease',
    );
    // Only for what the update has just settled: a stale result leaves no attempt either.
    this.insertAttempts = `INSERT INTO webhook_attempt
        (trigger_id, number, begin_at, end_at, phases, response, response_body, error_code, error_message)
      SELECT j.id, j.number, j.begin_at, j.end_at, j.phases, j.response, j.response_body, j.error_code, j.error_message
      FROM ${jsonRows(database.dialect, COLUMNS)} AS j JOIN webhook_trigger AS t
        ON t.id = j.id AND t.lease = j.lease + 1 AND t.attempt_count = j.number`;
  }

  /** Stores the results whose leases are still held; the others change nothing. */
  async settle(results: Settled[]): Promise<void> {
    const json = JSON.stringify(results.map(toRow));
    await this.database.transaction(async (manager) => {
      await this.database.query(this.updateTriggers, [json], manager);
      await this.database.query(this.insertAttempts, [json], manager);
    });
  }
}

/** In the order of {@link COLUMNS}. */
const toRow = (settled: Settled) => [
  settled.id,
  settled.lease,
  settled.number,
  settled.status,
  settled.beginAt,
  settled.endAt,
  settled.nextAttemptAt,
  settled.request,
  settled.response,
  settled.responseBody,
  settled.errorCode,
  settled.errorMessage,
  settled.phases,
];
