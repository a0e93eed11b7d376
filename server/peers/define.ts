// What a peer can do: each direction drives another implementation of SMPP against a gateway of our own.
import type { PeerMessage, SeenMessage } from './messages.ts'

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

interface Receiver {
  readonly seen: readonly SeenMessage[]
  close(): Promise<void>
}

/** An SMSC that takes our bind, sends us the messages and keeps what we submit. */
interface PeerSmsc extends Receiver {
  readonly port: number
}

export interface Peer {
  readonly name: string
  /** The installed version; undefined when it is missing. */
  version(): Promise<string | undefined>
  /** What installs it. */
  readonly install: string
  /** What its users meet; a sentence each. */
  readonly quirks: readonly string[]
  /** Where a message of it looks different by its nature: the fields that it gives one. */
  readonly differs?: (message: PeerMessage) => Partial<PeerMessage>
  /** Binds as a transceiver and sends; waits for the receipt that it asked for. */
  submit(account: PeerAccount, messages: readonly PeerMessage[]): Promise<Submitted>
  /** Binds as a receiver; settles once bound. */
  receive(account: PeerAccount): Promise<Receiver>
  /** Listens as an SMSC; absent for a peer that is none. */
  serve?(messages: readonly PeerMessage[], destination: string): Promise<PeerSmsc>
}
