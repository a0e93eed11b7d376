// What the gateway tells Prometheus. PDUs are counted in plain maps, since a labelled counter costs more than the PDU.
import { Counter, Gauge } from 'prom-client'
import type { Direction } from '@tollgate/smpp/session/handlers.ts'
import { commandName } from '@tollgate/smpp/values/command-id.ts'
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

const counts = new Map<number, number>()
// A status is one octet in all of SMPP 3.4; a larger one is counted as 0xFF, so that a peer cannot invent series.
const statusOther = 0xff

/** Counts a PDU. */
export function countPdu(id: number, direction: Direction, status: number): void {
  // Below 2^17: response bit, 9 bits of command (0x103 is the largest known), direction; then the status.
  const command = id & 0x1ff
  const slot = (id < 0 || id >= 0x80000000 ? 0x200 : 0) | command | (direction === 'in' ? 0x400 : 0)
  const key =
    (commandName(id) === undefined ? 0x800 | (slot & 0x400) : slot) * 256 + Math.min(status, statusOther)
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

new Counter({
  name: 'tollgate_smpp_pdus_total',
  help: 'PDUs by command, direction and command_status.',
  labelNames: ['command', 'direction', 'status'],
  registers: [registry],
  collect() {
    this.reset()
    for (const [key, count] of counts) {
      const slot = key >>> 8
      const status = key & 0xff
      const id = (slot & 0x1ff) + ((slot & 0x200) === 0 ? 0 : 0x80000000)
      const command = (slot & 0x800) === 0 ? (commandName(id) ?? 'unknown') : 'unknown'
      const direction = (slot & 0x400) === 0 ? 'out' : 'in'
      this.inc({ command, direction, status: statusName(status) ?? 'other' }, count)
    }
  },
})
