import type { QueryRunner } from 'typeorm';

// Frozen with the migrations that use it: what has run in a database must not change with the code around it.

/** The statements of a migration, in the SQL of each database. MariaDB counts as `mysql`. */
interface Statements {
  sqlite: string[];
  mysql: string[];
}

/** @throws Error for a data source of any other kind. */
export async function execute(runner: QueryRunner, statements: Statements): Promise<void> {
  for (const statement of statements[dialectOf(runner)]) await runner.query(statement);
}

function dialectOf({ dataSource }: QueryRunner): keyof Statements {
  const { type } = dataSource.options;
  if (type === 'better-sqlite3') return 'sqlite';
  if (type === 'mysql' || type === 'mariadb') return 'mysql';
  throw new Error(
    `Webhooks cannot be kept in a data source of type ${type}: better-sqlite3, mysql or mariadb can hold them.`,
  );
}

/** The prefix of the table names, taken from the webhook entity; none in a data source without that entity. */
export function tablePrefix({ dataSource }: QueryRunner): string {
  if (!dataSource.hasMetadata('WebhookEntity')) return '';
  return dataSource.getMetadata('WebhookEntity').tableName.slice(0, -'webhook'.length);
}
