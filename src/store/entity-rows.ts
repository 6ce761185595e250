import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';

/**
 * Makes entities of rows as a statement returns them: a fifth of the work of TypeORM's own queries, which matters where very
 * many are shown. Columns that were not selected are left out.
 */
export function entitiesOf<T extends ObjectLiteral>(
  dataSource: DataSource,
  Entity: EntityTarget<T> & (new () => T),
  rows: Record<string, unknown>[],
): T[] {
  const { driver } = dataSource;
  const columns = dataSource
    .getMetadata(Entity)
    .columns.filter(({ databaseName }) => databaseName in (rows[0] ?? {}));
  return rows.map((row) => {
    const entity: ObjectLiteral = new Entity();
    for (const column of columns)
      entity[column.propertyName] = driver.prepareHydratedValue(row[column.databaseName], column);
    return entity as T;
  });
}
