// Writes the messages of a time in the past: ingest stores the records with their times, as it does for providers.
import { transaction } from '../../platform/transaction.ts'
import type { Db } from '../../platform/db.ts'
import type { Ingest, IngestMessage } from '../../ingest/index.ts'
import { activityAt, makeMessage, pickNumber, strangeShare, type DemoNumber } from './messages.ts'
import type { PastClock } from './past-clock.ts'

export interface HistoryParts {
  readonly db: Db
  readonly ingest: Pick<Ingest, 'storeWithin' | 'gatewayId' | 'refuse'>
  /** Goes along with the messages. */
  readonly clock: Pick<PastClock, 'goTo'>
  readonly suppliers: readonly { readonly systemId: string; readonly userId: number }[]
  readonly numbers: readonly DemoNumber[]
  /** Destinations that are not ours: a supplier's routing is wrong sometimes. */
  readonly strangeNumbers: readonly string[]
  readonly fromMs: number
  readonly toMs: number
  /** Messages in the busiest hour. */
  readonly perHourMax: number
  readonly random: () => number
}

const stepMs = 10 * 60_000
const batchMax = 2_000

// No response is due for these.
const nobody: IngestMessage['completion'] = {
  committed: () => undefined,
  failed: () => undefined,
  settled: () => undefined,
}

/** Returns how many records it wrote. Stops early on `stopping`. */
export async function writeHistory(parts: HistoryParts, stopping: AbortSignal): Promise<number> {
  const { random } = parts
  const gatewayIds = await Promise.all(
    parts.suppliers.map(({ systemId, userId }) => parts.ingest.gatewayId('smpp', systemId, userId)),
  )
  let batch: IngestMessage[] = []
  let storedCount = 0
  const flush = async () => {
    const messages = batch
    batch = []
    parts.clock.goTo(new Date(messages.at(-1)?.createdAtMs ?? 0))
    if (messages.length > 0) await transaction(parts.db, (tx) => parts.ingest.storeWithin(tx, messages))
    storedCount += messages.length
  }
  for (let startMs = parts.fromMs; startMs < parts.toMs && !stopping.aborted; startMs += stepMs) {
    for (const atMs of timesWithin(startMs, parts, random)) {
      // The first supplier brings two thirds of the traffic.
      const gatewayId = gatewayIds[random() < 0.66 ? 0 : gatewayIds.length - 1] ?? 0
      if (random() < strangeShare) {
        const digits = parts.strangeNumbers[Math.floor(random() * parts.strangeNumbers.length)] ?? ''
        // Refused messages are counted by the clock.
        parts.clock.goTo(new Date(atMs))
        parts.ingest.refuse({ digits, gatewayId }, 'unknown')
        continue
      }
      for (const part of makeMessage(pickNumber(parts.numbers, random), random)) {
        batch.push({
          createdAtMs: atMs,
          digits: part.digits,
          displayedSourceAddress: part.sender,
          gatewayId,
          source: 'smpp',
          sequence: -1,
          sourceAddress: part.sender,
          destinationAddress: part.digits,
          esmClass: part.esmClass,
          dataCoding: part.dataCoding,
          body: part.octets,
          flags: 0,
          completion: nobody,
        })
      }
    }
    if (batch.length >= batchMax) await flush()
  }
  await flush()
  return storedCount
}

/** The times of messages within one step, in order, none after the end. */
function timesWithin(startMs: number, { perHourMax, toMs }: HistoryParts, random: () => number): number[] {
  const expected = perHourMax * activityAt(startMs) * (stepMs / 3_600_000) * (0.7 + 0.6 * random())
  const count = Math.floor(expected) + (random() < expected % 1 ? 1 : 0)
  return Array.from({ length: count }, () => Math.floor(startMs + random() * stepMs))
    .filter((atMs) => atMs < toMs)
    .toSorted((a, b) => a - b)
}
