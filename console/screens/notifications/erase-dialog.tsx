import { useAction } from '../../data/action.js';
import { api } from '../../data/api.js';
import { useList } from '../../data/list.js';
import { invalidate } from '../../data/resource.js';
import { isAdmin } from '../../data/who.js';
import { Confirm } from '../../parts/overlay/confirm.js';
import { toast } from '../../parts/overlay/toasts.js';
import { count, counted } from '../../parts/text/format.js';

/** Erases what is stored of a record, after its id has been typed. */
export function EraseDialog({
  recordId,
  userId,
  onClose,
}: {
  recordId: string;
  userId: string;
  onClose: () => void;
}) {
  const whose = isAdmin.value ? { user_id: userId } : {};
  const found = useList(
    '/v1/notification/list',
    { ...whose, record_id: recordId },
    { pageSize: 100, freshMs: 0 },
  );
  const rows = found.rows ?? [];
  const open = rows.reduce((sum, { triggers }) => sum + triggers.pending + triggers.delivering, 0);
  const erase = useAction(
    () => api.DELETE('/v1/notification', { query: { ...whose, record_id: recordId } }),
    ({ notifications, triggers, cancelled }) => {
      invalidate('/v1/notification', '/v1/webhook/trigger');
      toast({
        text: `Erased: ${counted(notifications, 'notification')}, ${counted(triggers, 'delivery', 'deliveries')}, ${count(cancelled)} of them cancelled.`,
        tone: 'good',
      });
      onClose();
    },
  );
  return (
    <Confirm
      title="Erase this record’s data"
      doing="Erase for good"
      typed={recordId}
      action={erase}
      onClose={onClose}
    >
      <p>
        The bodies of{' '}
        <b>
          {found.rows ? counted(rows.length, 'notification') : 'all notifications'}
          {found.hasMore && ' or more'}
        </b>{' '}
        of the record <code>{recordId}</code> of <b>{userId}</b> will be gone for good, with all requests and
        answers of their deliveries. Nothing brings them back, and none of them can be sent again.
      </p>
      {open > 0 && (
        <p>{counted(open, 'delivery that has', 'deliveries that have')} not arrived yet will be cancelled.</p>
      )}
      <p class="hint">That they happened stays listed: kinds, times and outcomes.</p>
    </Confirm>
  );
}
