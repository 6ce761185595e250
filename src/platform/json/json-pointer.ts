/** RFC 6901; the whole document is the empty pointer. */
export function jsonPointer(path: string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
