import { urlOptionsOf } from './database-url-options.js';
import { nearest } from './nearest.js';

const SERVER = 'mysql://user:password@host:3306/database';
const OTHER_DATABASES = /^(postgres(ql)?|cockroachdb|mongodb(\+srv)?|mssql|sqlserver|oracle|redis):/i;

/**
 * Takes `sqlite:PATH`, `mysql://…` or `mariadb://…`; the scheme comes back in lower case, a SQLite path without `//`.
 *
 * @throws Error saying what the text must be, without quoting it: it may hold a password.
 */
export function readDatabaseUrl(text: string): string {
  const sqlite = /^sqlite:(.*)$/is.exec(text)?.[1];
  if (sqlite !== undefined) return `sqlite:${readSqlitePath(sqlite)}`;
  const [, scheme, rest] = /^(mysql|mariadb):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) throw new Error(`must be ${supported(text)}`);
  const url = `${scheme.toLowerCase()}://${rest}`;
  checkMysqlUrl(url);
  return url;
}

/** What to write instead of a text that is not the URL of a supported database. */
function supported(text: string): string {
  const either = `sqlite:PATH, such as sqlite:./data/webhook.sqlite, or ${SERVER}`;
  if (OTHER_DATABASES.test(text)) return `${either} (or mariadb://…); no other database is supported`;
  const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(text) ?? [];
  if (!scheme) return `${either}; the path of a file needs sqlite: before it`;
  const meant = nearest(scheme, ['sqlite', 'mysql', 'mariadb']);
  if (!meant) return either;
  return `${either}; did you mean ${meant === 'sqlite' ? 'sqlite:PATH' : `${meant}://…`}?`;
}

function readSqlitePath(path: string): string {
  if (path === '' || path.endsWith('/')) {
    throw new Error('has no database file; write sqlite:PATH, such as sqlite:./data/webhook.sqlite');
  }
  if (path.includes('?')) {
    throw new Error(
      'has options after ?, but SQLite takes none; end it with the path, which must not contain ?',
    );
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
  // errors show, or for options.
  if (!encoded?.hostname || /[/@]/.test(path ?? '') || encoded.search.includes('@')) {
    throw new Error(
      `must look like ${SERVER}; write special characters of user and password percent-encoded`,
    );
  }
  if (!path) {
    throw new Error(`has no database name; write it last, as in ${SERVER}`);
  }
  if (encoded.hash) throw new Error('must not contain #; write it as %23');
  // Ignoring an unknown one could mean a connection without the TLS that was asked for.
  urlOptionsOf(text);
}
