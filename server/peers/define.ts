// What a peer can do: each direction drives another implementation of SMPP against a gateway of our own.
import type { LongText, PeerMessage, SeenMessage } from './messages.ts'

/** Where a peer binds, as whom. */
export interface PeerAccount {
  readonly port: number
  readonly systemId: string
  readonly password: string
  /** The number that messages go to. */
  readonly destination: string
}

interface Submitted {
  /** The ids of the answers, in the order of the messages; '' for one that was refused. */
  readonly ids: readonly string[]
  /** The ids of the messages whose receipts said DELIVRD. */
  readonly delivered: readonly string[]
}

export interface PeerReceiver {
  readonly seen: readonly SeenMessage[]
  close(): Promise<void>
}

/** An SMSC that takes our bind, sends us the messages and keeps what we submit. */
interface PeerSmsc extends PeerReceiver {
  readonly port: number
}

/** Another implementation, as the command finds it and the page names it. */
export interface Implementation {
  readonly name: string
  /** The installed version; undefined when it is missing. */
  version(): Promise<string | undefined>
  /** What installs it. */
  readonly install: string
  /** What its users meet; a sentence each. */
  readonly quirks: readonly string[]
}

/** One that exchanges the standard messages. */
export interface PeerProgram extends Implementation {
  /** The fields that it gives a message that it submits, by its nature. */
  readonly submitsAs?: (message: PeerMessage) => Partial<PeerMessage>
  /** Binds as a transceiver and sends; waits for the receipt that it asked for. */
  submit(account: PeerAccount, messages: readonly PeerMessage[]): Promise<Submitted>
  /** Binds as a receiver; settles once bound. */
  receive(account: PeerAccount): Promise<PeerReceiver>
  /** Listens as an SMSC; absent for a peer that is none. */
  serve?(messages: readonly PeerMessage[], destination: string): Promise<PeerSmsc>
  /** Splits and joins long texts itself; absent for a peer that leaves it to its users. */
  readonly long?: {
    /** Settles when every segment is answered. */
    send(account: PeerAccount, texts: readonly LongText[]): Promise<void>
    receive(account: PeerAccount): Promise<{ readonly texts: readonly string[]; close(): Promise<void> }>
  }
}

export interface Exchanged {
  readonly name: string
  /** Empty when it went as it should. */
  readonly fault: string
}

export interface ExchangeDirection {
  readonly title: string
  readonly exchanged: readonly Exchanged[]
}

/** What was exchanged, with what was seen instead where it was not right. */
export const outcome = (name: string, isRight: boolean, otherwise: unknown): Exchanged => ({
  name,
  fault: isRight ? '' : JSON.stringify(otherwise),
})
