// When a submitted message may be delivered (SMPP 3.4 §5.2.15, §5.2.16, §5.3.2.9).
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv, type Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { timeToMs } from '@tollgate/smpp/values/time.ts'
import type { RecordTimes } from '../../ingest/index.ts'

/** The fields of submit_sm and submit_multi, or the parameters of data_sm. */
interface TimedBody {
  readonly scheduleDeliveryTime?: string
  readonly validityPeriod?: string
  readonly tlvs: readonly Tlv[]
}

// A time that passed within the last minute is taken as now. The session has refused older ones.
const graceMs = 60_000
/** Texts are kept for seven days, so nothing can be scheduled for later. */
const scheduleMaxMs = 7 * 86_400_000

/** The times that a message asks for; undefined when it asks for none, `too_late` when it is scheduled too far ahead. */
export function messageTimes(body: TimedBody, nowMs: number): RecordTimes | 'too_late' | undefined {
  const { scheduleDeliveryTime = '', validityPeriod = '', tlvs } = body
  if (scheduleDeliveryTime === '' && validityPeriod === '' && tlvs.length === 0) return undefined
  const scheduledMs = timeToMs(scheduleDeliveryTime, nowMs)
  const validMs = timeToMs(validityPeriod, nowMs) ?? endOfLife(tlvs, nowMs)
  if (scheduledMs !== undefined && scheduledMs > nowMs + scheduleMaxMs) return 'too_late'
  const deliverAtMs = scheduledMs !== undefined && scheduledMs > nowMs ? scheduledMs : undefined
  // The grace is for a time that has passed; one that is short is kept to.
  const expiresAtMs = validMs !== undefined && validMs <= nowMs ? nowMs + graceMs : validMs
  if (deliverAtMs === undefined && expiresAtMs === undefined) return undefined
  return { deliverAtMs, expiresAtMs }
}

/** §5.3.2.9: qos_time_to_live, in seconds, stands in for the validity period. */
function endOfLife(tlvs: readonly Tlv[], nowMs: number): number | undefined {
  const seconds = tlvs.length === 0 ? undefined : findTlv(tlvs, tags.qosTimeToLive)
  return seconds === undefined ? undefined : nowMs + seconds * 1_000
}
