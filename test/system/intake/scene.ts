import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { DatabaseFixture } from '../../support/fixture.js';
import type { Receiver } from '../../support/receiver.js';
import { record } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';

/** An event about a record. */
export const reportOf = (user_id: string, id = record.id) => ({
  event_kind: 'RECORD_FINISHED',
  user_id,
  record: id === record.id ? record : { id, analysis: [] },
});

/** The records that have arrived. */
export const arrived = ({ requests }: Receiver): string[] =>
  requests.map(({ body }) => JSON.parse(String(body)).data.id).sort();

/** The notifications of a user, as the API lists them. */
export const stored = async ({ call }: Pick<TestService, 'call'>, userId: string, limit = 20) =>
  (await call('GET', `/v1/notification/list?user_id=${userId}&limit=${limit}`)).body.data;

/** What is logged at these levels in this test, from now on. */
export function logged({ defer }: DatabaseFixture, ...levels: ('error' | 'warn' | 'log')[]): string[] {
  const lines: string[] = [];
  for (const level of levels) {
    const spy = jest.spyOn(Logger.prototype, level).mockImplementation((text) => {
      lines.push(String(text));
    });
    defer(() => spy.mockRestore());
  }
  return lines;
}
