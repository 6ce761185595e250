const MASK = '********';

/** A URL without what may be a credential: no user info, the query masked. What is no URL is masked as a whole. */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return MASK;
  const { origin, protocol, host, pathname, search } = new URL(text);
  const place = origin === 'null' ? `${protocol}//${host}` : origin;
  return `${place}${pathname}${search ? `?${MASK}` : ''}`;
}
