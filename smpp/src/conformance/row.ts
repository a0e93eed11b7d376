import { commandName } from '../values/command-id.ts'
import { hex, ProbeSocket, require, type BoundAs, type ConformanceTarget } from './probe.ts'

/** One row of docs/smpp-conformance.md, with how it is checked from outside. */
export interface ConformanceRow {
  readonly number: number
  readonly title: string
  readonly sent: string
  readonly expected: string
  /** Checks the row against a target; throws RowFailed. Absent when it cannot be checked from outside. */
  readonly check?: (target: ConformanceTarget) => Promise<void>
  /** Why the row has no check. */
  readonly reason?: string
  /** It takes longer than half a minute. */
  readonly isSlow?: boolean
}

/** Runs with a connection of its own, which is closed afterwards. */
export async function withProbe(
  probe: Promise<ProbeSocket>,
  act: (probe: ProbeSocket) => Promise<void>,
): Promise<void> {
  const opened = await probe
  try {
    await act(opened)
  } finally {
    opened.destroy()
  }
}

/** A check over a session that is bound. */
export const bound =
  (act: (probe: ProbeSocket, target: ConformanceTarget) => Promise<void>, as: BoundAs = 'transceiver') =>
  (target: ConformanceTarget): Promise<void> =>
    withProbe(ProbeSocket.bound(target, as), (probe) => act(probe, target))

/** A PDU, and the statuses that its own response may have. */
export interface AnswerCase {
  readonly name: string
  readonly pdu: (sequence: number, target: ConformanceTarget) => Buffer
  readonly allowed: readonly number[]
}

const responseBit = 0x8000_0000

/** Sends each case on one session: it is answered once by its own response, a failure header-only, and the session stays. */
export const answers = (cases: readonly AnswerCase[]) =>
  bound(async (probe, target) => {
    for (const [index, { name, pdu, allowed }] of cases.entries()) {
      const sequence = 100 + index
      const octets = pdu(sequence, target)
      probe.write(octets)
      const answer = await probe.answerTo(sequence)
      const own = octets.readUInt32BE(4) + responseBit
      require(answer.id === own, `${name}: answered by ${commandName(answer.id)}`)
      const expected = allowed.map(hex).join(' or ')
      require(allowed.includes(answer.status), `${name}: ${hex(answer.status)} instead of ${expected}`)
      if (answer.status === 0) {
        const id = 'messageId' in answer.body ? answer.body.messageId : undefined
        require(id === undefined ||
          (id.length > 0 && id.length <= 64), `${name}: no message_id of 1 to 64 characters`)
      }
    }
    const extra = await probe.stays()
    require(extra.length === 0, `${extra.length} more answers came than requests were sent`)
  })
