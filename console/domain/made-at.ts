/** When something was made: ids are of version 7 (RFC 9562), whose first 48 bits say so. */
export const madeAt = (id: string): string =>
  new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString();
