// The position of a segment in a long message, from the header or from the sar_ parameters.

import type { TextFlag } from './flags.ts'

export interface SegmentPosition {
  /** Where the position comes from: 8-bit or 16-bit user data header, or the sar_ parameters. */
  readonly carrier: 'udh8' | 'udh16' | 'sar'
  /** Shared by the segments of one message: 0–255 in an 8-bit header, else 0–65,535. */
  readonly reference: number
  /** 1–255. */
  readonly total: number
  /** 1–total. */
  readonly sequence: number
}

interface PositionReading {
  /** Undefined for a single message. */
  readonly position: SegmentPosition | undefined
  readonly flags: readonly TextFlag[]
}

/** The values of sar_msg_ref_num, sar_total_segments and sar_segment_seqnum (SMPP 3.4 §5.3.2.22–24). */
export interface SarParameters {
  readonly reference: number | undefined
  readonly total: number | undefined
  readonly sequence: number | undefined
}

/** Checks the numbers; an impossible position becomes a flag and no position (23.040 §9.2.3.24.1: ignore it). */
export function checkPosition(position: SegmentPosition): PositionReading {
  const { total, sequence } = position
  const isPossible = total >= 1 && total <= 255 && sequence >= 1 && sequence <= total
  return isPossible ? { position, flags: [] } : { position: undefined, flags: ['part_out_of_range'] }
}

/** The position in the sar_ parameters. SMPP 3.4 §5.3.2.22: they mean nothing unless all three are present. */
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
 * Chooses between the two positions. The header wins: it came with the body from the telephone, while each SMSC on the
 * route may rewrite the sar_ parameters.
 */
export function choosePosition(
  udh: SegmentPosition | undefined,
  sar: SegmentPosition | undefined,
): PositionReading {
  if (udh === undefined || sar === undefined) return { position: udh ?? sar, flags: [] }
  const agree = udh.reference === sar.reference && udh.total === sar.total && udh.sequence === sar.sequence
  return { position: udh, flags: agree ? [] : ['sar_udh_disagree'] }
}
