import type { ReceivedRequest } from '../support/receiver.js';
import { notify } from '../support/scene.js';
import type { TestService } from '../support/service.js';

export interface Told {
  record: string;
  change: number;
}

/** What a request tells: a change of a record, as {@link report} reports it. */
export function toldBy({ body }: Pick<ReceivedRequest, 'body'>): Told {
  const { data } = JSON.parse(body.toString());
  return { record: data.id, change: data.change };
}

/** Reports a change of a record. @returns the id of its only trigger. */
export async function report(
  service: Pick<TestService, 'call'>,
  user: string,
  record: string,
  change: number,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { status, body, text } = await notify(service, user, {
    record: { id: record, change, analysis: [{ id: 'ana_1' }, { id: 'ana_2' }] },
    ...more,
  });
  if (status !== 202 || body.triggers.length !== 1) throw new Error(`Not one trigger: ${text}`);
  return body.triggers[0].id;
}
