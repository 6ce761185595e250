import { z } from 'zod';
import { compileStored } from '../../../engine/filter/compile-filter.js';
import { parseExactly } from '../../../platform/json/exact-json.js';
import { SIGNATURE_SCHEMES } from '../../../platform/secret/signing-secret.js';
import { keyIdOf, Vault, type VaultKey } from '../../../platform/secret/vault.js';
import { userId } from '../../../rest/fields.js';
import { isOfUser } from '../../../store/tables/access/api-key.entity.js';
import type { MovedUser } from './moved-user.js';
import { Refusal } from './refusal.js';

const FORMAT = 'webhook-user-1';

const id = z.uuid();
const text = z.string();
const textOrNull = text.nullable();
const time = z.int();
/** One that does not compile would let everything through. */
const filter = textOrNull.refine((source) => source === null || isFilter(source));

/** A new column of a table is missing here until somebody decides whether it moves: the compiler says so. */
const movedUser: z.ZodType<MovedUser> = z.strictObject({
  userId,
  receipt: id,
  webhooks: z.array(
    z.strictObject({
      id,
      name: text,
      url: text,
      enabled: z.boolean(),
      description: textOrNull,
      disabledReason: z.enum(['gone', 'failing']).nullable(),
      generation: z.int(),
      uid: textOrNull,
      metadata: textOrNull,
      signatureScheme: z.enum(SIGNATURE_SCHEMES),
      settings: textOrNull,
      createdAt: time,
      updatedAt: time,
      opened: z.strictObject({
        sealedHeaders: text,
        sealedAuthentication: textOrNull,
        sealedTls: textOrNull,
        sealedSecret: text,
        sealedPreviousSecrets: textOrNull,
      }),
      events: z.array(
        z.strictObject({
          id,
          kind: text,
          enabled: z.boolean(),
          filter,
          createdAt: time,
        }),
      ),
    }),
  ),
  apiKeys: z.array(
    z.strictObject({
      id,
      name: textOrNull,
      // No cell may hand another one a key for all of its users.
      scopes: text.refine((scopes) => isOfUser({ scopes })),
      hash: text,
      createdAt: time,
      lastUsedAt: time.nullable(),
    }),
  ),
});

const envelope = z.strictObject({ format: text, user_id: text, exported_at: text, sealed: text });
type Envelope = z.infer<typeof envelope>;

/** All that can be read in the file is bound to what is sealed: changing it makes the file unreadable. */
const contextOf = ({ format, user_id, exported_at }: Omit<Envelope, 'sealed'>) =>
  JSON.stringify([format, user_id, exported_at]);

/** The text of a user's file: sealed as a whole, so that it can be read and changed by nobody without the transfer key. */
export function fileOf(user: MovedUser, key: VaultKey, now: number): string {
  const open = { format: FORMAT, user_id: user.userId, exported_at: new Date(now).toISOString() };
  const sealed = new Vault([key]).seal(JSON.stringify(user), contextOf(open));
  return `${JSON.stringify({ ...open, sealed }, null, 2)}\n`;
}

/** @throws Refusal for a file of another kind or version, sealed with another key, or changed. */
export function userOf(file: string, key: VaultKey): MovedUser {
  const read = envelope.safeParse(parsed(file));
  if (!read.success) throw new Refusal('This is no file that user:export has written, or not all of it.');
  const { format, sealed } = read.data;
  if (format !== FORMAT)
    throw new Refusal(
      `The file is in the format ${JSON.stringify(format.slice(0, 40))}, and this version reads "${FORMAT}". Use the same version in both cells.`,
    );
  if (keyIdOf(sealed) !== key.id)
    throw new Refusal(
      'The file was sealed with another TRANSFER_KEY. Set the one that it was exported with.',
    );
  const plain = new Vault([key]).tryOpen(sealed, contextOf(read.data));
  if (plain === null)
    throw new Refusal('The file was changed after the export. Nothing was imported; export it again.');
  const user = movedUser.safeParse(parsed(plain));
  if (user.success && user.data.userId === read.data.user_id) return user.data;
  const wrong = user.error?.issues[0]?.path.join('.') ?? 'userId';
  throw new Refusal(
    `The file was written by another version (${wrong} is not as expected). Use the same version in both cells, and export it again.`,
  );
}

function isFilter(source: string): boolean {
  try {
    return compileStored(parseExactly(source)).ok;
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
