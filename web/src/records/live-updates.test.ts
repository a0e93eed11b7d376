import { describe, expect, test } from 'vitest'
import { recordAt } from '../testing/records.ts'
import { forget, addBatch, isOverfull, noUpdates, showWaiting, type Batch } from './live-updates.ts'
import { mergeRows } from './merge-rows.ts'

const open: Omit<Batch, 'records'> = { isListed: () => false, belongs: () => true, isOpen: true }
const closed = { ...open, isOpen: false }

describe('what the feed reported', () => {
  test('a record reported twice is one record', () => {
    const { updates, arrived } = addBatch(noUpdates(''), { ...open, records: [recordAt(1), recordAt(1)] })
    expect(arrived).toEqual([recordAt(1).id])
    expect(addBatch(updates, { ...open, records: [recordAt(1)] }).arrived).toEqual([])
  })

  test('an older state that comes late does not replace a newer one', () => {
    const newer = recordAt(1, { status: 'reported', lu: '2026-11-19T14:32:00.000Z' })
    const { updates } = addBatch(noUpdates(''), { ...open, records: [newer, recordAt(1)] })
    expect(updates.records.get(newer.id)?.status).toBe('reported')
  })

  test('what does not belong to the filters is not updates', () => {
    const { updates, arrived } = addBatch(noUpdates(''), {
      ...open,
      belongs: () => false,
      records: [recordAt(1)],
    })
    expect([updates.records.size, arrived.length]).toEqual([0, 0])
  })

  test('a new state of a listed record is taken although the filters would keep it out now', () => {
    const { updates, arrived } = addBatch(noUpdates(''), {
      ...open,
      belongs: () => false,
      isListed: () => true,
      records: [recordAt(1, { status: 'failed' })],
    })
    expect(updates.records.get(recordAt(1).id)?.status).toBe('failed')
    expect(arrived).toEqual([])
  })

  test('while rows stay still new ones wait, then all show', () => {
    const { updates } = addBatch(noUpdates(''), { ...closed, records: [recordAt(1), recordAt(2)] })
    expect([updates.shownIds.size, updates.waitingIds.size]).toEqual([0, 2])
    const released = showWaiting(updates)
    expect([released.shownIds.size, released.waitingIds.size]).toEqual([2, 0])
  })

  test('beyond the limit the count goes on and the list is behind', () => {
    const records = Array.from({ length: 600 }, (_, index) => recordAt(index))
    const { updates } = addBatch(noUpdates(''), { ...closed, records })
    expect(updates.isBehind).toBe(true)
    expect(updates.waitingIds.size).toBe(600)
    expect(isOverfull(updates)).toBe(false)
    expect(isOverfull(addBatch(noUpdates(''), { ...open, records }).updates)).toBe(true)
  })

  test('after the list was fetched again only what came since is kept', () => {
    const before = addBatch(noUpdates(''), { ...open, records: [recordAt(1)] }).updates
    const now = addBatch(before, { ...open, records: [recordAt(2)] }).updates
    expect([...forget(now, before).shownIds]).toEqual([recordAt(2).id])
  })
})

describe('the list made of both', () => {
  const fetched = [recordAt(5), recordAt(3)]
  const merge = (records: readonly ReturnType<typeof recordAt>[], hasMore = false) =>
    mergeRows({
      fetched,
      updates: new Map(records.map((record) => [record.id, record])),
      shownIds: new Set(records.map(({ id }) => id)),
      hasMore,
      order: 'desc',
    }).map(({ id }) => Number(id.slice(-3)))

  test('is newest first, each record once', () => {
    expect(merge([recordAt(4), recordAt(6), recordAt(5)])).toEqual([6, 5, 4, 3])
  })

  test('leaves a late record to its page while older ones are not loaded', () => {
    expect(merge([recordAt(1)], true)).toEqual([5, 3])
    expect(merge([recordAt(1)], false)).toEqual([5, 3, 1])
  })
})
