import { tellUnreadable } from '../../platform/json/column-json.js';

const [OPEN, CLOSE] = [0x7b, 0x7d];

/**
 * Whether a body that was stored begins and ends as an object does. It goes out as it is, to receivers and into answers, and one that
 * somebody changed or a restore cut off would be no JSON there. It may have a megabyte, so what stands between is not read.
 */
export function isWhole(notificationId: string, body: Buffer): boolean {
  const whole = body[0] === OPEN && body[body.length - 1] === CLOSE;
  if (!whole) tellUnreadable({ column: 'webhook_notification.body', row: notificationId });
  return whole;
}
