import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandId, commandName, isResponse } from './command-id.ts'
import { commandStatus, statusName, statusText } from './command-status.ts'
import { isDeliverEsmClass, isReceipt, isSubmitEsmClass } from './esm-class.ts'
import { isRegisteredDelivery } from './registered-delivery.ts'
import { formatAbsoluteTime, parseTime, timeToMs } from './time.ts'
import { isNpi, isTon } from './ton-npi.ts'

test('every command has its name, and a response is its request with the high bit set', () => {
  for (const [name, id] of Object.entries(commandId)) {
    expect(commandName(id)).toBe(name)
    expect(isResponse(id)).toBe(name.endsWith('_resp') || name === 'generic_nack')
    if (name.endsWith('_resp')) expect(commandName(id - 0x80000000)).toBe(name.replace('_resp', ''))
  }
  expect(commandName(0x0a)).toBeUndefined()
})

test('statuses have names and texts, also reserved and vendor ones', () => {
  expect(commandStatus.ESME_RTHROTTLED).toBe(0x58)
  expect(statusName(0x0e)).toBe('ESME_RINVPASWD')
  expect(statusText(0x0e)).toBe('Invalid password (0x0E)')
  expect(statusText(0x410)).toBe('SMSC vendor error (0x410)')
  expect(statusText(0x77)).toBe('Reserved status (0x77)')
})

test('type of number and numbering plan are the ones listed', () => {
  expect(Array.from({ length: 256 }, (_, value) => value).filter(isTon)).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(Array.from({ length: 256 }, (_, value) => value).filter(isNpi)).toEqual([
    0, 1, 3, 4, 6, 8, 9, 10, 14, 18,
  ])
})

test('reserved values of esm_class and registered_delivery are recognised', () => {
  expect([0, 0x40, 0x08, 0xc3].every(isSubmitEsmClass)).toBe(true)
  expect([0x04, 0x20, 0x3c].some(isSubmitEsmClass)).toBe(false)
  expect([0, 0x04, 0x18, 0x20].every(isDeliverEsmClass)).toBe(true)
  expect(isDeliverEsmClass(0x3c)).toBe(false)
  expect([isReceipt(0x04), isReceipt(0x20), isReceipt(0x40)]).toEqual([true, true, false])
  expect([0, 1, 2, 0x1d].every(isRegisteredDelivery)).toBe(true)
  expect([3, 0x20, 0x80].some(isRegisteredDelivery)).toBe(false)
})

test('absolute times are read with their offset, and nonsense is invalid', () => {
  expect(parseTime('')).toEqual({ kind: 'none' })
  expect(parseTime('240229120000000+')).toEqual({ kind: 'absolute', atMs: Date.UTC(2024, 1, 29, 12) })
  expect(parseTime('240229120000504+')).toEqual({
    kind: 'absolute',
    atMs: Date.UTC(2024, 1, 29, 11, 0, 0, 500),
  })
  expect(parseTime('240229120000004-')).toEqual({ kind: 'absolute', atMs: Date.UTC(2024, 1, 29, 13) })
  for (const bad of [
    '230229120000000+',
    '241301120000000+',
    '240229240000000+',
    '240229120000049+',
    '24022912000000+',
  ]) {
    expect(parseTime(bad)).toEqual({ kind: 'invalid' })
  }
})

test('relative times count from now in calendar years and months', () => {
  const nowMs = Date.UTC(2024, 0, 15)
  expect(timeToMs('000002000000000R', nowMs)).toBe(nowMs + 2 * 86_400_000)
  expect(timeToMs('010100000030000R', nowMs)).toBe(Date.UTC(2025, 1, 15, 0, 0, 30))
  expect(parseTime('000002000000100R')).toEqual({ kind: 'invalid' })
})

test('a formatted time is read back to a tenth of a second', () => {
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2099, 11, 31) }), (atMs) => {
      expect(timeToMs(formatAbsoluteTime(atMs), 0)).toBe(Math.floor(atMs / 100) * 100)
    }),
  )
})
