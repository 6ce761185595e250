/** An encryption key as it is written in `ENCRYPTION_KEYS`. */
export const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

export const K1 = key('k1', 1);
export const K2 = key('k2', 2);
