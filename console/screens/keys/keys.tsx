import { useSignal } from '@preact/signals';
import type { WebhookApiKeyDto } from 'webhook-notification-service-client';
import { useAction } from '../../data/action.js';
import { api } from '../../data/api.js';
import { useList } from '../../data/list.js';
import { invalidate } from '../../data/resource.js';
import { isAdmin, ofWhom } from '../../data/who.js';
import { Tag } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { useCommands } from '../../parts/commands.js';
import { useKeys } from '../../parts/keyboard.js';
import { Confirm } from '../../parts/overlay/confirm.js';
import { toast } from '../../parts/overlay/toasts.js';
import { Page } from '../../parts/page.js';
import type { Column } from '../../parts/table/columns.js';
import { Table } from '../../parts/table/table.js';
import { Box } from '../../parts/text/boxes.js';
import { Empty } from '../../parts/text/empty.js';
import { Time } from '../../parts/text/time.js';
import { NewKeyDialog } from './new-key-dialog.js';

/** Who may call the API. */
export default function Keys() {
  const isCreating = useSignal(false);
  const deleting = useSignal<WebhookApiKeyDto | null>(null);
  const list = useList('/v1/api-key/list', isAdmin.value ? ofWhom() : null, { pageSize: 100 });
  const create = () => {
    isCreating.value = true;
  };
  useKeys(isAdmin.value ? [{ key: 'n', does: 'New API key', run: create }] : []);
  useCommands(isAdmin.value ? [{ label: 'New API key', icon: 'plus', run: create }] : []);
  if (!isAdmin.value) {
    return (
      <Page title="API keys">
        <Empty title="Only who may manage everything sees the keys" />
      </Page>
    );
  }
  // Without it nobody could make another one.
  const isLastAdmin =
    !list.hasMore &&
    list.rows?.filter(({ scopes }) => scopes.includes('admin')).length === 1 &&
    !ofWhom().user_id;
  return (
    <Page
      title="API keys"
      lead="Who may call the API, and sign in here."
      actions={
        <Button look="primary" icon="plus" onClick={create}>
          New API key
        </Button>
      }
    >
      <Table
        label="API keys"
        noun="key"
        list={list}
        columns={columnsFor((key) => (deleting.value = key))}
        rowKey={({ id }) => id}
        empty={<Empty title="This user has no key" />}
      />
      {isCreating.value && <NewKeyDialog onClose={() => (isCreating.value = false)} />}
      {deleting.value && (
        <DeleteDialog
          apiKey={deleting.value}
          isLastAdmin={isLastAdmin && deleting.value.scopes.includes('admin')}
          onClose={() => (deleting.value = null)}
        />
      )}
    </Page>
  );
}

const nameOf = ({ name, id }: WebhookApiKeyDto): string => name ?? `…${id.slice(-6)}`;

const columnsFor = (onDelete: (key: WebhookApiKeyDto) => void): Column<WebhookApiKeyDto>[] => [
  {
    key: 'name',
    header: 'Key',
    cell: (key) => (
      <>
        {nameOf(key)}
        <span class="sub">of {key.user_id}</span>
      </>
    ),
    sortBy: nameOf,
  },
  {
    key: 'scopes',
    header: 'May',
    cell: ({ scopes }) => (
      <span class="tags">
        {scopes.map((scope) => (
          <Tag key={scope}>{scope}</Tag>
        ))}
      </span>
    ),
    from: 'middle',
  },
  {
    key: 'used',
    header: 'Last used',
    cell: ({ last_used_at }) =>
      last_used_at ? <Time at={last_used_at} /> : <span class="muted">never</span>,
    sortBy: ({ last_used_at }) => last_used_at,
    descendingFirst: true,
    number: true,
    tight: true,
  },
  {
    key: 'created',
    header: 'Created',
    cell: ({ created_at }) => <Time at={created_at} />,
    sortBy: ({ created_at }) => created_at,
    descendingFirst: true,
    number: true,
    tight: true,
    from: 'wide',
  },
  {
    key: 'delete',
    header: 'Delete',
    cell: (key) => (
      <Button
        look="plain"
        small
        icon="trash"
        label={`Delete the key ${nameOf(key)}`}
        onClick={() => onDelete(key)}
      />
    ),
    tight: true,
  },
];

function DeleteDialog({
  apiKey,
  isLastAdmin,
  onClose,
}: {
  apiKey: WebhookApiKeyDto;
  isLastAdmin: boolean;
  onClose: () => void;
}) {
  const remove = useAction(
    () => api.DELETE('/v1/api-key', { query: { id: apiKey.id } }),
    () => {
      invalidate('/v1/api-key');
      toast({ text: `The key ${nameOf(apiKey)} is deleted.`, tone: 'good' });
      onClose();
    },
  );
  return (
    <Confirm title="Delete this key" doing="Delete the key" action={remove} onClose={onClose}>
      <p>
        Whoever uses <b>{nameOf(apiKey)}</b> of <b>{apiKey.user_id}</b> is refused from the next call on, and
        sessions that began with it end. Webhooks and deliveries stay.
      </p>
      {isLastAdmin && (
        <Box tone="warn" title="It is the last key with the scope admin">
          <p>Without it nobody can make another one.</p>
        </Box>
      )}
    </Confirm>
  );
}
