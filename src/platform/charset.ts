const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** The `charset` of a `Content-Type` (RFC 9110, section 8.3.2) as it is written there; undefined if it names none. */
export const charsetOf = (contentType: string): string | undefined => CHARSET.exec(contentType)?.[1];
