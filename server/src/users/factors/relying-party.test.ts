import { expect, test } from 'vitest'
import { relyingPartyOf } from './relying-party.ts'

test.each([
  [undefined, 'localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  [undefined, 'gate.localhost', { id: 'gate.localhost', origin: 'http://gate.localhost' }],
  [undefined, '127.0.0.1:8080', undefined],
  [undefined, '[::1]:8080', undefined],
  // Plain http beyond this machine, and whatever a caller may have written there.
  [undefined, 'gateway.example.com', undefined],
  [undefined, 'evil.example/', undefined],
  [undefined, undefined, undefined],
  [
    'https://gateway.example.com',
    'anything',
    { id: 'gateway.example.com', origin: 'https://gateway.example.com' },
  ],
  [
    'https://gateway.example.com:8443/',
    undefined,
    { id: 'gateway.example.com', origin: 'https://gateway.example.com:8443' },
  ],
  ['https://192.0.2.7', 'localhost', undefined],
  ['http://127.0.0.1:8080', 'localhost:8080', undefined],
  ['http://localhost:8080', undefined, { id: 'localhost', origin: 'http://localhost:8080' }],
])('with PUBLIC_URL %s and Host %s passkeys are for %j', (publicUrl, host, party) => {
  expect(relyingPartyOf(publicUrl === undefined ? undefined : new URL(publicUrl), host)).toEqual(party)
})
