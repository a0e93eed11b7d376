// Where a part stands in a long message, whichever way the peer said it.

import type { TextFlag } from './flags.ts'

export interface PartPosition {
  /** How the peer said it: 8-bit or 16-bit user data header, or the sar_ parameters. */
  readonly carrier: 'udh8' | 'udh16' | 'sar'
  /** Number shared by the parts of one message: 0–255 in an 8-bit header, else 0–65,535. */
  readonly reference: number
  /** 1–255. */
  readonly total: number
  /** 1–total. */
  readonly sequence: number
}

export interface PositionReading {
  /** Undefined when the message stands alone. */
  readonly position: PartPosition | undefined
  readonly flags: readonly TextFlag[]
}

/** The values of sar_msg_ref_num, sar_total_segments and sar_segment_seqnum (SMPP 3.4 §5.3.2.22–24). */
export interface SarParameters {
  readonly reference: number | undefined
  readonly total: number | undefined
  readonly sequence: number | undefined
}

/** A position whose numbers can be true; otherwise the flag and no position (23.040 §9.2.3.24.1: ignore it). */
export function checkPosition(position: PartPosition): PositionReading {
  const { total, sequence } = position
  const isPossible = total >= 1 && total <= 255 && sequence >= 1 && sequence <= total
  return isPossible ? { position, flags: [] } : { position: undefined, flags: ['part_out_of_range'] }
}

/** The position told by the sar_ parameters. SMPP 3.4 §5.3.2.22: all three must be there, else they mean nothing. */
export function positionFromSar(sar: SarParameters): PositionReading {
  const { reference, total, sequence } = sar
  if (reference === undefined && total === undefined && sequence === undefined) {
    return { position: undefined, flags: [] }
  }
  if (reference === undefined || total === undefined || sequence === undefined) {
    return { position: undefined, flags: ['sar_incomplete'] }
  }
  return checkPosition({ carrier: 'sar', reference, total, sequence })
}

/**
 * One position out of both ways of saying it. The header wins: it travelled with the body from the phone,
 * while the sar_ parameters are rewritten by each centre on the way.
 */
export function choosePosition(
  udh: PartPosition | undefined,
  sar: PartPosition | undefined,
): PositionReading {
  if (udh === undefined || sar === undefined) return { position: udh ?? sar, flags: [] }
  const agree = udh.reference === sar.reference && udh.total === sar.total && udh.sequence === sar.sequence
  return { position: udh, flags: agree ? [] : ['sar_udh_disagree'] }
}
