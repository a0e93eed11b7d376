// Counts refused messages by the hour, so that none is dropped silently, and notes each so that it can be found.
import { HourCounts, type HourCount } from '../platform/hour-counts.ts'
import type { IngestMessage } from './message.ts'

// A peer that tries many numbers must fill neither the memory nor the table.
const itemsMax = 2_000
/** The name under which all further numbers are counted. */
const otherNumbers = 'other'
// Of one supplier: its flood leaves room for the messages of others.
const notedMax = 500
const minuteMs = 60_000

/** What is counted of a refused message: its destination, if that is the cause, and where it came from. */
export interface RefusedMessage extends Pick<IngestMessage, 'digits' | 'gatewayId'> {
  /** Where it was sent to, whatever the cause; the digits by default. */
  readonly destination?: string | undefined
  /** Its source address as screens show it, if it was read. */
  readonly sender?: string | undefined
}

/** What was wrong with a refused PDU, in words, and its octets in hexadecimal with its text hidden. */
export interface RefusedPdu {
  readonly detail: string
  readonly octets: string
}

/** What refused messages are counted by. */
export interface RefusedItem {
  readonly reason: string
  readonly number: string
  readonly gatewayId: number
  /** The command_status of the answer; 0 when the reason alone tells it. */
  readonly commandStatus: number
  /** Shows one of those PDUs. It is called when the count is saved: most are only counted. */
  readonly shown?: (() => RefusedPdu) | undefined
}

/** What refused messages are noted by: alike within a minute. */
export interface NotedRefusal extends Omit<RefusedItem, 'shown'> {
  readonly minuteMs: number
  readonly sender: string
}

export class Refusals {
  readonly #counts = new HourCounts<RefusedItem>({
    nameOf: ({ reason, number, gatewayId, commandStatus }) =>
      `${reason} ${commandStatus} ${gatewayId} ${number}`,
    otherOf: (item) => ({ ...item, number: otherNumbers }),
    itemsMax,
  })
  /** By gateway. */
  readonly #noted = new Map<number, HourCounts<NotedRefusal>>()

  add(
    { digits, gatewayId, destination = digits, sender = '' }: RefusedMessage,
    reason: string,
    nowMs: number,
    commandStatus = 0,
    shown?: RefusedItem['shown'],
  ): void {
    const item = { reason, gatewayId, commandStatus }
    this.#counts.add({ ...item, number: digits.slice(0, 20), shown }, nowMs)
    const noted = this.#noted.get(gatewayId) ?? noRefusals()
    this.#noted.set(gatewayId, noted)
    const minute = nowMs - (nowMs % minuteMs)
    noted.add({ ...item, minuteMs: minute, number: destination.slice(0, 20), sender }, nowMs)
  }

  /** As {@link HourCounts.flush}. */
  readonly flush: HourCounts<RefusedItem>['flush'] = (save) => this.#counts.flush(save)

  /** The same for the notes; what found no room is left out. */
  async flushNoted(save: (counts: readonly HourCount<NotedRefusal>[]) => Promise<void>): Promise<void> {
    for (const noted of this.#noted.values())
      await noted.flush(async (counts) => save(counts.filter(({ item }) => item.number !== otherNumbers)))
  }
}

function noRefusals(): HourCounts<NotedRefusal> {
  return new HourCounts({
    nameOf: ({ minuteMs: minute, number, sender, reason, commandStatus }) =>
      `${minute} ${number} ${reason} ${commandStatus} ${sender}`,
    otherOf: (item) => ({ ...item, number: otherNumbers, sender: '' }),
    itemsMax: notedMax,
  })
}
