// The gateway's Prometheus metrics. PDUs are counted in plain arrays, because a labelled counter costs more than the PDU.
import { Counter, Gauge } from 'prom-client'
import type { Direction } from '@tollgate/smpp/session/session-types.ts'
import { commandId, commandName } from '@tollgate/smpp/values/command-id.ts'
import { statusName } from '@tollgate/smpp/values/command-status.ts'
import { registry } from '../platform/metrics.ts'

export const sessions = new Gauge({
  name: 'tollgate_smpp_sessions',
  help: 'SMPP sessions of this node. Inbound are binds of peers, outbound our own connections.',
  labelNames: ['direction', 'state'],
  registers: [registry],
})

export const certificateEndGauge = new Gauge({
  name: 'tollgate_certificate_end_timestamp_seconds',
  help: 'When the certificate of SMPP over TLS ends; 0 without one.',
  registers: [registry],
})

export const bindFailures = new Counter({
  name: 'tollgate_smpp_bind_failures_total',
  help: 'Refused binds by reason.',
  labelNames: ['reason'],
  registers: [registry],
})

export const sessionFaults = new Counter({
  name: 'tollgate_smpp_faults_total',
  help: 'Faults of SMPP sessions by kind.',
  labelNames: ['kind'],
  registers: [registry],
})

export const deliveries = new Counter({
  name: 'tollgate_smpp_deliveries_total',
  help: 'Attempts to deliver records and receipts over SMPP by outcome: taken, refused (tried again), failed.',
  labelNames: ['kind', 'outcome'],
  registers: [registry],
})

// SMPP 3.4 defines one-octet statuses; a larger one is counted as 0xFF, so that a peer cannot create new time series.
const statusOther = 0xff
// A slot joins the response bit, the low 9 bits of the command (0x103 is the largest known) and the direction.
const responseSlot = 0x200
const inSlot = 0x400
const unknownSlot = 0x800

// By slot, then by status. Only known commands have a slot of their own; indexing an array costs less than a Map.
const counts: (Float64Array | undefined)[] = Array.from(
  { length: (unknownSlot | inSlot) + 1 },
  () => undefined,
)
for (const slot of [...Object.values(commandId).map(slotOf), unknownSlot]) {
  counts[slot] = new Float64Array(statusOther + 1)
  counts[slot | inSlot] = new Float64Array(statusOther + 1)
}

function slotOf(id: number): number {
  return (id >= 0x80000000 ? responseSlot : 0) | (id & 0x1ff)
}

/** Counts a PDU. */
export function countPdu(id: number, direction: Direction, status: number): void {
  const side = direction === 'in' ? inSlot : 0
  const known = (id & 0x7ffffe00) === 0 ? counts[slotOf(id) | side] : undefined
  const byStatus = known ?? counts[unknownSlot | side]
  const code = status < statusOther ? status : statusOther
  if (byStatus !== undefined) byStatus[code] = (byStatus[code] ?? 0) + 1
}

new Counter({
  name: 'tollgate_smpp_pdus_total',
  help: 'PDUs by command, direction and command_status.',
  labelNames: ['command', 'direction', 'status'],
  registers: [registry],
  collect() {
    this.reset()
    for (const [slot, byStatus] of counts.entries()) {
      const id = (slot & 0x1ff) + ((slot & responseSlot) === 0 ? 0 : 0x80000000)
      const command = (slot & unknownSlot) === 0 ? (commandName(id) ?? 'unknown') : 'unknown'
      const direction = (slot & inSlot) === 0 ? 'out' : 'in'
      for (const [status, count] of byStatus?.entries() ?? [])
        if (count > 0) this.inc({ command, direction, status: statusName(status) ?? 'other' }, count)
    }
  },
})
