// What the gateway tells Prometheus. PDUs are counted in plain maps, since a labelled counter costs more than the PDU.
import { Counter, Gauge } from 'prom-client'
import type { Direction } from '@tollgate/smpp/session/handlers.ts'
import { commandId, commandName } from '@tollgate/smpp/values/command-id.ts'
import { statusName } from '@tollgate/smpp/values/command-status.ts'
import { registry } from '../platform/metrics.ts'

export const sessions = new Gauge({
  name: 'tollgate_smpp_sessions',
  help: 'SMPP sessions of this node. Inbound are binds of peers, outbound our own connections.',
  labelNames: ['direction', 'state'],
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
  help: 'What peers did wrong, and what went wrong with them, by kind.',
  labelNames: ['kind'],
  registers: [registry],
})

export const deliveries = new Counter({
  name: 'tollgate_smpp_deliveries_total',
  help: 'Tries to hand records and receipts on over SMPP, by what came of them: taken, refused (tried again), failed.',
  labelNames: ['kind', 'outcome'],
  registers: [registry],
})

// A status is one octet in all of SMPP 3.4; a larger one is counted as 0xFF, so that a peer cannot invent series.
const statusOther = 0xff
// A slot is the response bit and the 9 bits of a command (0x103 is the largest known), and the direction.
const responseSlot = 0x200
const inSlot = 0x400
const unknownSlot = 0x800

// By slot, then by status. Only what is known has a slot of its own; indexing costs less than any Map.
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
