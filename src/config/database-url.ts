/**
 * Takes `sqlite:PATH`, `mysql://…` or `mariadb://…`; the scheme comes back in lower case, a SQLite path without `//`.
 *
 * @throws Error saying what the text must be, without quoting it: it may hold a password.
 */
export function readDatabaseUrl(text: string): string {
  const sqlite = /^sqlite:(.*)$/is.exec(text)?.[1];
  if (sqlite !== undefined) return `sqlite:${readSqlitePath(sqlite)}`;
  const [, scheme, rest] = /^(mysql|mariadb):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) {
    throw new Error(
      'must be sqlite:PATH, such as sqlite:./data/webhook.sqlite, or mysql://user:password@host:3306/database',
    );
  }
  const url = `${scheme.toLowerCase()}://${rest}`;
  checkMysqlUrl(url);
  return url;
}

function readSqlitePath(path: string): string {
  if (path === '' || path.endsWith('/')) {
    throw new Error('has no database file; write sqlite:PATH, such as sqlite:./data/webhook.sqlite');
  }
  if (!path.startsWith('//')) return path;
  if (!path.startsWith('///')) {
    throw new Error('would lose the start of its path; write sqlite:PATH, without the two slashes');
  }
  return path.slice(2);
}

function checkMysqlUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const encoded = /%(?![0-9a-f]{2})/i.test(text) ? null : url;
  const path = encoded?.pathname.slice(1);
  // An unencoded / ends the user and password early: the rest of the password would pass for the database name, which
  // errors show.
  if (!encoded?.hostname || /[/@]/.test(path ?? '')) {
    throw new Error(
      'must look like mysql://user:password@host:3306/database; write special characters of user and password percent-encoded',
    );
  }
  if (!path) {
    throw new Error('has no database name; write it last, as in mysql://user:password@host:3306/database');
  }
  // Ignoring an unknown option could mean a connection without the TLS that was asked for.
  if (encoded.search || encoded.hash) {
    throw new Error('must end with the database name: options after ? or # are not supported');
  }
}
