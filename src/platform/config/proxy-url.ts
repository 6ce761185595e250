/** @throws Error saying what the text must be, without quoting it: it may hold a password. */
export function readProxyUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.hostname && url.pathname === '/' && !url.search && !url.hash;
  if (url?.protocol !== 'http:' || !isPlain) {
    throw new Error(
      'must be an HTTP proxy, such as http://proxy.internal:3128 or http://user:password@proxy:3128',
    );
  }
  return url.href;
}
