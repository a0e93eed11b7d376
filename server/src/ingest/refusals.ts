// Counts refused messages by the hour: none is dropped silently.
import { HourCounts } from '../platform/hour-counts.ts'
import type { IngestMessage } from './message.ts'

// A peer that tries many numbers must fill neither the memory nor the table.
const itemsMax = 2_000
/** The name under which all further numbers are counted. */
const otherNumbers = 'other'

/** What is counted of a refused message: its destination, if known, and where it came from. */
export type RefusedMessage = Pick<IngestMessage, 'digits' | 'gatewayId'>

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

export class Refusals {
  readonly #counts = new HourCounts<RefusedItem>({
    nameOf: ({ reason, number, gatewayId, commandStatus }) =>
      `${reason} ${commandStatus} ${gatewayId} ${number}`,
    otherOf: (item) => ({ ...item, number: otherNumbers }),
    itemsMax,
  })

  add(
    { digits, gatewayId }: RefusedMessage,
    reason: string,
    nowMs: number,
    commandStatus = 0,
    shown?: RefusedItem['shown'],
  ): void {
    this.#counts.add({ reason, number: digits.slice(0, 20), gatewayId, commandStatus, shown }, nowMs)
  }

  /** As {@link HourCounts.flush}. */
  readonly flush: HourCounts<RefusedItem>['flush'] = (save) => this.#counts.flush(save)
}
