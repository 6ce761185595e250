import { describe, expect, it } from '@jest/globals';
import { Vault } from './vault.js';

const [OLD, NEW] = ['old', 'new'].map((id, at) => ({ id, key: Buffer.alloc(32, at) }));
const vaultOf = (...keys: (typeof OLD)[]) => new Vault(keys.flatMap((key) => key ?? []));

describe('a vault', () => {
  it('encrypts with the first of its keys, and decrypts with all', () => {
    const both = vaultOf(NEW, OLD);
    for (const [vault, id] of [
      [vaultOf(OLD), 'old'],
      [both, 'new'],
    ] as const) {
      const sealed = vault.seal('plain', 'row');
      expect([sealed.split('.')[0], both.open(sealed, 'row')]).toEqual([id, 'plain']);
    }
    expect(both.seal('plain', 'row', 'old')).toMatch(/^old\./);
    expect(both.unwrap(vaultOf(OLD).wrap(Buffer.from('plain'), 'use'), 'use')?.toString()).toBe('plain');
    expect(both.isMac(vaultOf(OLD).mac('text'), 'text')).toBe(true);
  });

  it('decrypts nothing of a missing key, of another row, or that was changed', () => {
    const sealed = vaultOf(NEW).seal('plain', 'row');
    expect(() => vaultOf(OLD).open(sealed, 'row')).toThrow('encryptionKeys no longer holds the key "new"');
    expect(vaultOf(NEW).opens(sealed, 'another row')).toBe(false);
    expect(vaultOf(NEW).opens(`${sealed}AAAA`, 'row')).toBe(false);
  });
});
