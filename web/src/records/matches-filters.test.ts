import { expect, test } from 'vitest'
import { recordAt } from '../testing/records.ts'
import { matchesFilters } from './matches-filters.ts'

const record = recordAt(142, { status: 'reported', sender: 'InfoDesk' })

test.each([
  [{}],
  [{ search: '+44 909 879 0142' }],
  [{ search: '\u202a+44 (0)909/879–0142\u202c' }],
  [{ search: 'CLIENT2' }],
  [{ search: 'infodesk' }],
  [{ status: 'reported' }],
  [{ status: 'delivered' }],
  [{ dateFrom: '2026-11-19', dateTo: '2026-11-19' }],
  // 14:31 UTC is 03:31 of the next day there.
  [{ dateFrom: '2026-11-20', dateTo: '2026-11-20', zone: 'Pacific/Auckland' }],
  [{ client: 'Client2', range: '0900', gateway: 'supplier1' }],
  [{ number: '+44 909 879 0142' }],
  [{ test: 'false' }],
] as const)('%o lets the record through', (filters) => {
  expect(matchesFilters(record, filters)).toBe(true)
})

test.each([
  [{ search: '+44 909 879 0143' }],
  [{ search: 'nobody' }],
  [{ status: 'pending' }],
  [{ status: 'failed' }],
  [{ dateFrom: '2026-11-20' }],
  [{ dateTo: '2026-11-18' }],
  [{ dateTo: '2026-11-19', zone: 'Pacific/Auckland' }],
  [{ client: 'client1' }],
  [{ range: '0901' }],
  [{ gateway: 'supplier2' }],
  [{ number: '44909879014' }],
  [{ test: 'true' }],
] as const)('%o keeps the record out', (filters) => {
  expect(matchesFilters(record, filters)).toBe(false)
})
