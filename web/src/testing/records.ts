// Records for tests. Their ids grow with `place`, as real ids grow with time.
import type { SmsRecord } from '@tollgate/contract/records/records.ts'

/** A record; `place` orders it among others, newest last. */
export function recordAt(place: number, changes: Partial<SmsRecord> = {}): SmsRecord {
  const id = `01KAF6T2${String(place).padStart(18, '0')}`
  return {
    id,
    messageId: id,
    createdAt: '2026-11-19T14:31:57.482Z',
    range: '0900',
    phoneNumber: `44909879${String(place).padStart(4, '0')}`,
    lu: '2026-11-19T14:31:58.102Z',
    client: 'client2',
    bill: '1.5',
    gateway: 'supplier1',
    noReport: 'No Report',
    clientReport: 'pending',
    name: '',
    status: 'pending',
    sender: '447700900318',
    text: '••••••',
    source: 'smpp',
    amountUsd: '0.05',
    dataCoding: 0,
    part: null,
    smsCount: 1,
    ...changes,
  }
}
