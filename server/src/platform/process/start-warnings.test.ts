import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { startWarnings } from './start-warnings.ts'

const warningsOf = (environment: Record<string, string>, uid = 1_000) =>
  startWarnings(readConfig(environment), uid).map((line) => line.split(' ', 3).join(' '))

test('a start on loopback by an account of its own has no warning', () => {
  expect(warningsOf({})).toEqual([])
  expect(warningsOf({ HOST: '::1' })).toEqual([])
  expect(warningsOf({}, 0)).toEqual(['Tollgate runs as'])
})

test('beyond loopback each listener without TLS is named, if this node has it', () => {
  const [console, smpp] = ['the console listens', 'SMPP listens on']
  expect(warningsOf({ HOST: '0.0.0.0' })).toEqual([console, smpp])
  expect(warningsOf({ HOST: '10.0.0.5', PUBLIC_URL: 'http://gateway.example.com' })).toEqual([console, smpp])
  expect(warningsOf({ HOST: '10.0.0.5', PUBLIC_URL: 'https://gateway.example.com' })).toEqual([smpp])
  expect(warningsOf({ HOST: '10.0.0.5', ROLES: 'web' })).toEqual([console])
  expect(warningsOf({ HOST: '10.0.0.5', ROLES: 'worker' })).toEqual([])
  const pem = import.meta.filename
  const tls = { SMPP_TLS_PORT: '3550', TLS_CERT: pem, TLS_KEY: pem }
  expect(warningsOf({ HOST: '10.0.0.5', ROLES: 'smpp', ...tls })).toEqual([])
})
