// The demo's suppliers: a process of its own that binds over SMPP like any peer and sends until it is stopped. It also runs
// the outside world that Tollgate calls.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { keepConnected, type Link } from '@tollgate/smpp/net/reconnect.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { credentialsSchema, openOutside, outsidePauseMs, type OutsideWorld } from './outside.ts'
import { activityAt, makeMessage, pickNumber, strangeShare, type DemoSegment } from './messages.ts'

const supplierOptionsSchema = z.object({
  host: z.string(),
  port: z.int(),
  suppliers: z.array(z.object({ systemId: z.string(), password: z.string() })),
  numbers: z.array(z.object({ number: z.string(), weight: z.number() })),
  /** Destinations that are not ours: a supplier's routing is wrong sometimes. */
  strangeNumbers: z.array(z.string()),
  /** The credentials of the outside world. */
  outside: credentialsSchema,
  /** Messages a second of all suppliers together in the busiest hour. */
  perSecondMax: z.number(),
})
export type SupplierOptions = z.infer<typeof supplierOptionsSchema>

/** Waits for the options from the parent process, sends, and ends cleanly with a signal or with its parent. */
export async function runSupplier(): Promise<void> {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
    process.on(name as 'SIGINT', () => stopping.abort())
  }
  const order = await new Promise<SupplierOptions | undefined>((resolve) => {
    process.once('message', (message) => resolve(supplierOptionsSchema.parse(message)))
    stopping.signal.addEventListener('abort', () => resolve(undefined))
  })
  if (order !== undefined) {
    const outside = await openOutside({ credentials: order.outside, numbers: order.numbers })
    process.send?.(outside.ports)
    await Promise.all([supply(order, stopping.signal), sendFromOutside(outside, stopping.signal)])
  }
  if (process.connected) process.disconnect()
}

/** Sends messages from outside until stopped. */
async function sendFromOutside(outside: OutsideWorld, stopping: AbortSignal): Promise<void> {
  while (await sleep(outsidePauseMs(Date.now()), true, { signal: stopping }).catch(() => false))
    outside.sendMessage()
  await outside.stop()
}

// The first messages come quickly, so that whoever has just started the demo sees something.
const [firstCount, firstPerSecond] = [20, 0.5]

/** Sends the suppliers' traffic until stopped, then unbinds. */
async function supply(order: SupplierOptions, stopping: AbortSignal): Promise<void> {
  const binds = order.suppliers.map((supplier) => keepBound(order, supplier))
  let sentCount = 0
  while (!stopping.aborted) {
    const perSecond = Math.max(
      sentCount < firstCount ? firstPerSecond : 0,
      order.perSecondMax * activityAt(Date.now()),
    )
    // Independent suppliers make exponentially distributed gaps.
    const pauseMs = (-Math.log(1 - Math.random()) / perSecond) * 1_000
    const hasTime = await sleep(Math.min(pauseMs, 60_000), true, { signal: stopping }).catch(() => false)
    if (!hasTime) break
    const bind = binds[Math.random() < 0.66 ? 0 : binds.length - 1]
    if (bind?.session === undefined) continue
    submit(bind.session, order)
    sentCount += 1
  }
  await Promise.all(binds.map(({ link }) => link.stop(3_000)))
}

function keepBound(
  { host, port }: SupplierOptions,
  { systemId, password }: SupplierOptions['suppliers'][number],
): { readonly link: Link; readonly session: Session<undefined> | undefined } {
  let session: Session<undefined> | undefined
  const link = keepConnected({
    options: () => ({ host, port, mode: 'transceiver', systemId, password }),
    onState(state) {
      session = state.kind === 'connected' ? state.session : undefined
    },
  })
  return {
    link,
    get session() {
      return session
    },
  }
}

function submit(session: Session<undefined>, { numbers, strangeNumbers }: SupplierOptions): void {
  const dice = Math.random()
  const isStray = dice < strangeShare
  const digits = isStray
    ? (strangeNumbers[Math.floor(Math.random() * strangeNumbers.length)] ?? '')
    : pickNumber(numbers, Math.random)
  for (const part of makeMessage(digits, Math.random)) void send(session, part, dice)
}

async function send(session: Session<undefined>, part: DemoSegment, dice: number): Promise<void> {
  const body = {
    sourceAddrTon: 1,
    sourceAddrNpi: 1,
    sourceAddr: part.sender,
    destAddrTon: 1,
    destAddrNpi: 1,
    // Peers write numbers in several formats.
    destinationAddr: dice > 0.9 ? `+${part.digits}` : part.digits,
    esmClass: part.esmClass,
    dataCoding: part.dataCoding,
    shortMessage: Buffer.from(part.octets),
  }
  const outcome = await session.send('submit_sm', body)
  // On ESME_RMSGQFUL and ESME_RTHROTTLED a supplier repeats the message.
  if (outcome.kind === 'answered' && [0x14, 0x58].includes(outcome.status)) {
    await sleep(1_000)
    await session.send('submit_sm', body)
  }
}
