import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { createPasswords } from './passwords.ts'

test('a password is the same in whichever form a keyboard writes its accents', async () => {
  const password = 'Grüße-Zürich-2026é'
  const forms = [password.normalize('NFC'), password.normalize('NFD')]
  await createPasswords().inTurn(async (hasher) => {
    for (const form of forms) {
      const stored = await hasher.hash(form)
      for (const entered of forms) expect(await hasher.verify(stored, entered)).toBe(true)
      expect(await hasher.verify(stored, `${form}x`)).toBe(false)
    }
    // One that was stored as it was sent.
    expect(await hasher.verify(await hash(forms[1]!), forms[1]!)).toBe(true)
    expect(await hasher.verify(undefined, password)).toBe(false)
  })
})
