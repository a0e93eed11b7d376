// What a program that sends and receives texts needs: a pool of binds, a pace, receipts, and whole messages.
import type { LinkState } from '../net/reconnect.ts'
import type { IncomingRequest } from '../session/session-types.ts'
import type { Session } from '../session/session.ts'
import { commandStatus } from '../values/command-status.ts'
import { BindPool, type BindPoolOptions, type PoolHost } from './bind-pool.ts'
import { type JoinedMessage, PartJoiner } from './part-joiner.ts'
import { type MessageIdForms, ReceiptTracker, type TrackedMessage } from './receipt-tracker.ts'
import { SendPace } from './send-pace.ts'
import { type OutgoingText, sendText, type SendTextOptions, type TextOutcome } from './send-text.ts'

export interface SmsClientOptions extends Omit<BindPoolOptions, 'bind' | 'onState'> {
  readonly systemId: string
  readonly password: string
  /** Default transceiver. */
  readonly mode?: BindPoolOptions['bind']['mode']
  /** Anything else about the binds: system_type, settings, timers. */
  readonly bind?: Partial<BindPoolOptions['bind']>
  /**
   * A message came, joined when it had several segments. When this throws or rejects, the SMSC is answered 0x64 and sends
   * the last segment again. Segments that wait for others are in memory only.
   */
  readonly onMessage?: (message: JoinedMessage) => void | Promise<void>
  /** Segments were missing for too long. */
  readonly onIncomplete?: (message: JoinedMessage) => void
  /** The word for a text that was sent with receipts has changed. The tag is the text. */
  readonly onState?: (message: TrackedMessage<OutgoingText>) => void
  readonly idForms?: MessageIdForms | 'auto'
  readonly onBindState?: (host: PoolHost, state: LinkState) => void
}

type DeliverRequest = Extract<IncomingRequest, { command: 'deliver_sm' | 'data_sm' }>

/** Binds at once and stays bound until it is closed. */
export class SmsClient {
  readonly pool: BindPool
  readonly pace = new SendPace()
  readonly #options: SmsClientOptions
  readonly #receipts: ReceiptTracker<OutgoingText>
  readonly #joiner: PartJoiner

  constructor(options: SmsClientOptions) {
    this.#options = options
    const { idForms = 'auto', onState = () => undefined, onIncomplete } = options
    this.#receipts = new ReceiptTracker({ onState, idForms })
    this.#joiner = new PartJoiner(onIncomplete === undefined ? {} : { onIncomplete })
    const { systemId, password, mode = 'transceiver', bind } = options
    this.pool = new BindPool({
      ...options,
      onState: options.onBindState ?? (() => undefined),
      bind: {
        mode,
        systemId,
        password,
        ...bind,
        // What an SMSC leaves empty or fills with reserved values is still a message.
        settings: { isStrict: false, ...bind?.settings },
        handlers: { ...bind?.handlers, onRequest: (session, request) => this.#take(session, request) },
      },
    })
  }

  /** Sends a text, all of its segments, and gives one outcome. Never rejects. See {@link sendText}. */
  async sendText(message: OutgoingText, options: Omit<SendTextOptions, 'pace'> = {}): Promise<TextOutcome> {
    const outcome = await sendText(this.pool, message, { ...options, pace: this.pace })
    const wantsReceipts = message.receipts !== undefined && message.receipts !== 'none'
    if (outcome.kind === 'sent' && wantsReceipts)
      this.#receipts.track({ tag: message, messageIds: outcome.messageIds, to: outcome.to.digits })
    return outcome
  }

  /** Waits for the answers to what was sent, up to `timeoutMs`, unbinds everywhere, and gives up waiting segments. */
  async close(timeoutMs?: number): Promise<void> {
    await this.pool.close(timeoutMs)
    this.#joiner.close()
  }

  #take(session: Session<undefined>, request: IncomingRequest): void {
    if (request.command === 'alert_notification') return
    if (request.command !== 'deliver_sm' && request.command !== 'data_sm') {
      session.respond(request, commandStatus.ESME_RINVCMDID)
      return
    }
    const body = bodyOf(request)
    if (this.#receipts.receive(body)) {
      session.respond(request, 0)
      return
    }
    const message = this.#joiner.add(body)
    if (message === undefined) session.respond(request, 0)
    else void this.#pass(session, request, message)
  }

  async #pass(session: Session<undefined>, request: DeliverRequest, message: JoinedMessage): Promise<void> {
    let status: number = commandStatus.ESME_ROK
    try {
      await this.#options.onMessage?.(message)
    } catch {
      // The caller knows its own fault; the SMSC keeps the message and sends it again.
      status = commandStatus.ESME_RX_T_APPN
      this.#joiner.putBack(message)
    }
    session.respond(request, status)
  }
}

/** A data_sm has its text in message_payload alone. */
function bodyOf({ command, body }: DeliverRequest) {
  return command === 'data_sm' ? { ...body, shortMessage: Buffer.alloc(0) } : body
}
