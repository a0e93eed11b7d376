// Reads records, and keeps them on screen up to date.
import { useQueryClient } from '@tanstack/react-query'
import {
  recordSchema,
  recordsRoutes,
  type statsSchema,
  type RecordFilters,
  type SmsRecord,
} from '@tollgate/contract/records/records.ts'
import type { z } from 'zod'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { refetchPaths, useApiPages, type PagedRows, useApiQuery } from '../api/use-api.ts'
import { useFeed, useFeedIsLive } from '../api/use-feed.ts'
import {
  forget,
  addBatch,
  isOverfull,
  noUpdates,
  showWaiting,
  type Batch,
  type LiveUpdates,
} from './live-updates.ts'
import { matchesFilters } from './matches-filters.ts'
import { mergeRows } from './merge-rows.ts'

// Well under the promised second for a new record. A burst is drawn once and not for each record.
const batchMs = 250
const pulseMs = 1_000
const tintMs = 1_200
// Where more rows than this are new at once, a tint tells none from another, and fading all of them takes most of the
// browser's time.
const tintedRowsMax = 12

/**
 * Calls `run` after records have come or changed: first after 250 ms, then at most once a second, and less often when
 * the answer is slow, so that watching causes little load.
 */
function useRecordRefresh(run: () => Promise<unknown>): void {
  const latest = useRef(run)
  const beat = useRef({ isDue: false, isRunning: false, notBefore: 0 })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    latest.current = run
  })
  const plan = () => {
    const { current } = beat
    current.isDue = true
    if (current.isRunning) return
    timer.current ??= setTimeout(() => void go(), Math.max(batchMs, current.notBefore - Date.now()))
  }
  const go = async () => {
    const { current } = beat
    const startedAt = Date.now()
    current.isDue = false
    current.isRunning = true
    timer.current = undefined
    try {
      await latest.current()
    } finally {
      current.isRunning = false
      current.notBefore = Date.now() + Math.max(pulseMs, (Date.now() - startedAt) * 4)
      if (current.isDue) plan()
    }
  }
  useFeed('record', plan)
  useFeed('record-updated', plan)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
      beat.current.isDue = false
    },
    [],
  )
}

export interface LiveRecords extends PagedRows<SmsRecord> {
  /** Records that came while rows must not move. */
  readonly waitingCount: number
  readonly isBehind: boolean
  /** Shows the waiting records. */
  readonly release: () => void
  /** Rows that have just come. */
  readonly newIds: ReadonlySet<string>
}

interface LiveRecordsOptions {
  readonly limit?: number
  readonly order?: 'asc' | 'desc'
  /** Whether new rows may be inserted now. Otherwise they wait. Always true by default. */
  readonly isOpen?: () => boolean
}

const always = () => true
const none: ReadonlySet<string> = new Set()

/** The records of a filter, the newest first unless `order` says otherwise, live. New rows show within a second, or wait while `isOpen` returns false. */
export function useLiveRecords(
  filters: RecordFilters,
  { limit, order = 'desc', isOpen = always }: LiveRecordsOptions = {},
): LiveRecords {
  const list = useApiPages(recordsRoutes.listRecords, {
    query: { ...filters, ...(limit !== undefined && { limit }), ...(order === 'asc' && { order }) },
  })
  const { rows: fetched, hasMore } = list
  const key = JSON.stringify({ ...filters, order })
  const [kept, setUpdates] = useState(() => noUpdates(key))
  const updates = useMemo(() => (kept.key === key ? kept : noUpdates(key)), [kept, key])
  const fresh = useNewIds()
  const listedIds = useMemo(() => new Set(fetched?.map(({ id }) => id)), [fetched])
  // What stands behind the last row comes with its page.
  const lastId = hasMore ? fetched?.at(-1)?.id : undefined
  const isInReach = (id: string) => lastId === undefined || (order === 'asc' ? id <= lastId : id >= lastId)

  const rows = useMemo(
    () =>
      fetched && mergeRows({ fetched, updates: updates.records, shownIds: updates.shownIds, hasMore, order }),
    [fetched, hasMore, order, updates],
  )
  // A list without rows has none that could move.
  const mayInsert = () => isOpen() || rows?.length === 0
  const restart = async (before: LiveUpdates) => {
    await list.restart()
    setUpdates((now) => (now.key === key ? forget(now, before) : now))
  }
  useRecordBatches((records) => {
    const batch: Batch = {
      records,
      isListed: (id) => listedIds.has(id),
      belongs: (record) => isInReach(record.id) && matchesFilters(record, filters),
      isOpen: mayInsert(),
    }
    // Based on the current state and not the last rendered one: under load two batches may come before a render.
    setUpdates((now) => addBatch(now.key === key ? now : noUpdates(key), batch).updates)
    if (!batch.isOpen) return
    const { arrived, updates: next } = addBatch(updates, batch)
    fresh.add(arrived)
    if (isOverfull(next)) void restart(next)
  })
  useFeedRecovery(() => {
    if (fetched === undefined) return
    if (mayInsert()) void restart(updates)
    else setUpdates({ ...updates, isBehind: true })
  })

  return {
    ...list,
    rows,
    waitingCount: updates.waitingIds.size,
    isBehind: updates.isBehind,
    release: () => {
      if (updates.isBehind) return void restart(updates)
      if (updates.waitingIds.size === 0) return
      fresh.add([...updates.waitingIds])
      setUpdates(showWaiting(updates))
    },
    newIds: fresh.ids,
  }
}

/** Collects the events of a short time and passes them on together. */
function useRecordBatches(take: (batch: readonly SmsRecord[]) => void): void {
  const latest = useRef(take)
  useEffect(() => {
    latest.current = take
  })
  const buffer = useRef<SmsRecord[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const receive = (payload: unknown) => {
    const parsed = recordSchema.safeParse(payload)
    // A server of another version may send what this page cannot parse. Such records come with the next fetch.
    if (!parsed.success) return
    buffer.current.push(parsed.data)
    timer.current ??= setTimeout(() => {
      const batch = buffer.current
      buffer.current = []
      timer.current = undefined
      latest.current(batch)
    }, batchMs)
  }
  useFeed('record', receive)
  useFeed('record-updated', receive)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
}

/** Ids that count as new while their highlight lasts; none while more come than an eye can follow. */
function useNewIds() {
  const [ids, setIds] = useState<ReadonlySet<string>>(() => new Set())
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const { current } = timers
    return () => current.forEach(clearTimeout)
  }, [])
  return {
    ids: ids.size > tintedRowsMax ? none : ids,
    add: (more: readonly string[]) => {
      if (more.length === 0) return
      setIds((now) => new Set([...now, ...more]))
      const timer = setTimeout(() => {
        timers.current.delete(timer)
        setIds((now) => new Set([...now].filter((id) => !more.includes(id))))
      }, tintMs)
      timers.current.add(timer)
    },
  }
}

/** Runs when the feed becomes live, at first and after each interruption, since events in between were missed. */
function useFeedRecovery(run: () => void): void {
  const isLive = useFeedIsLive()
  const catchUp = useEffectEvent(run)
  useEffect(() => {
    if (isLive) catchUp()
  }, [isLive])
}

/** Fetches these paths, and those below them, again after records have come or changed. Use it once for a page. */
export function useLivePaths(paths: readonly string[]): void {
  const client = useQueryClient()
  useRecordRefresh(() => refetchPaths(client, paths))
  useFeedRecovery(() => void refetchPaths(client, paths))
}

/** The SMS of the open cycle by hour, and its sums. */
export function useWeek() {
  return useApiQuery(recordsRoutes.getWeek)
}

export type Stats = z.infer<typeof statsSchema>

/** The counters of the viewer's records. */
export function useStats() {
  return useApiQuery(recordsRoutes.getStats)
}
