import { expect, test } from 'vitest'
import { changedConnection, changedProvider } from './destinations.ts'

const link = {
  host: 'smsc.example.com',
  port: 2775,
  useTls: true,
  tlsCa: null,
  tlsName: null,
  systemId: 'us',
}

test.each([
  [{}, undefined],
  [{ host: 'SMSC.Example.COM' }, undefined],
  [{ host: 'smsc.example.com.' }, undefined],
  [{ host: ' smsc.example.com ' }, undefined],
  [{ host: 'smsc.example.com.evil.example' }, 'host'],
  [{ host: 'smsc.example.org' }, 'host'],
  [{ host: '203.0.113.7' }, 'host'],
  [{ host: '' }, 'host'],
  [{ port: 2776 }, 'port'],
  [{ useTls: false }, 'tls'],
  [{ tlsCa: 'another' }, 'tlsCa'],
  [{ tlsName: 'smsc.example.org' }, 'tlsName'],
  [{ systemId: 'US' }, 'systemId'],
  [{ systemId: '' }, 'systemId'],
])('a link with %j goes elsewhere: %s', (over, changed) => {
  expect(changedConnection(link, { ...link, ...over })).toBe(changed)
})

test('an address is equal with and without brackets; every other spelling differs', () => {
  const at = (host: string) => ({ ...link, host })
  expect(changedConnection(at('2001:db8::1'), at('[2001:DB8::1]'))).toBeUndefined()
  expect(changedConnection(at('2001:db8::1'), at('2001:db8:0::1'))).toBe('host')
  expect(changedConnection(at('127.0.0.1'), at('127.1'))).toBe('host')
})

const source = { apiUrl: 'https://api.example.com/records', authType: 'bearer' }

test.each([
  ['https://api.example.com/records', undefined],
  ['https://api.example.com', undefined],
  ['HTTPS://API.example.com:443/other?a=1#b', undefined],
  ['https://api.example.com.:0443/', undefined],
  ['https://api.example.com?x=https://evil.example', undefined],
  ['http://api.example.com/records', 'apiHost'],
  ['https://api.example.com:8443/records', 'apiHost'],
  ['http://api.example.com:443/records', 'apiHost'],
  ['https://api.example.com.evil.example/records', 'apiHost'],
  ['https://api.example.com@evil.example/records', 'apiHost'],
  ['https://evil.example/https://api.example.com/', 'apiHost'],
  ['https://evil.example#api.example.com', 'apiHost'],
  ['https:\\\\api.example.com/records', 'apiHost'],
  ['https://api.example.com\\@evil.example/', 'apiHost'],
  ['https://apі.example.com/records', 'apiHost'],
  ['', 'apiHost'],
])('a provider at %s goes elsewhere: %s', (apiUrl, changed) => {
  expect(changedProvider(source, { ...source, apiUrl })).toBe(changed)
})

test('a provider with another authentication sends its secret in another place', () => {
  expect(changedProvider(source, { ...source, authType: 'api_key' })).toBe('authType')
})
