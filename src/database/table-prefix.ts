import { LRUCache } from 'lru-cache';
import { type DataSource, EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';

/** Tables, and what belongs to them: all begin so, and of the columns one does. */
const NAME = /\bwebhook(?!_id\b)(?:_\w+)?\b/g;
/** Prefixed statements that are kept: replacing in one costs more than looking it up. */
const MAX_KNOWN = 200;
const PREFIX = /^[a-z][a-z0-9_]{0,19}$/;

/** The entity of the webhooks, by the name that its schema gives it, and its table without a prefix. */
const WEBHOOK_ENTITY = 'WebhookEntity';
const WEBHOOK_TABLE = 'webhook';

/** @throws Error where it is not 1 to 20 lower case letters, digits and _, a letter first. */
export function checkTablePrefix(prefix: string): void {
  if (prefix !== '' && !PREFIX.test(prefix)) {
    throw new Error(`The table prefix "${prefix}" must be up to 20 of a-z, 0-9 and _, a letter first.`);
  }
}

/** The prefix of the tables of a data source that has the webhooks' entities; of one without, none. */
export function tablePrefixOf(dataSource: DataSource): string {
  if (!dataSource.hasMetadata(WEBHOOK_ENTITY)) return '';
  return dataSource.getMetadata(WEBHOOK_ENTITY).tableName.slice(0, -WEBHOOK_TABLE.length);
}

/** Puts the prefix before every table and index in a name or a statement, which are written without it. */
export function withTablePrefix(prefix: string): (sql: string) => string {
  if (prefix === '') return (sql) => sql;
  const known = new LRUCache<string, string>({ max: MAX_KNOWN });
  return (sql) => {
    let prefixed = known.get(sql);
    if (prefixed === undefined) {
      prefixed = sql.replace(NAME, `${prefix}$&`);
      known.set(sql, prefixed);
    }
    return prefixed;
  };
}

/** The same table, index or key, under its prefixed name. */
const renamed = <T extends { name?: string }>(named: (name: string) => string, one: T): T => ({
  ...one,
  name: named(one.name ?? ''),
});

/** The same entity, its table and indexes under prefixed names. */
export function prefixedSchema<T>(schema: EntitySchema<T>, prefix: string): EntitySchema<T> {
  if (prefix === '') return schema;
  const named = withTablePrefix(prefix);
  const { options } = schema;
  const columns = Object.entries(options.columns as Record<string, EntitySchemaColumnOptions>).map(
    ([property, { foreignKey, ...column }]) => [
      property,
      {
        ...column,
        ...(foreignKey ? { foreignKey: renamed(named, foreignKey) } : {}),
      },
    ],
  );
  return new EntitySchema<T>({
    ...options,
    tableName: named(options.tableName ?? ''),
    columns: Object.fromEntries(columns),
    indices: options.indices?.map((index) => renamed(named, index)),
  });
}
