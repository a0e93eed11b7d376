// Sends events of states between nodes, so that a screen shows a connection that another node runs.
import type { Db } from '../platform/db.ts'
import { NotificationChannel, payloadBytesMax } from '../platform/database/notification-channel.ts'
import type { StateEvent } from './state-events.ts'

export interface StateChannelOptions {
  readonly db: Db
  readonly onEvent: (event: StateEvent) => void
  readonly onFault: (error: Error) => void
}

export class StateChannel {
  readonly #options: StateChannelOptions
  readonly #channel: NotificationChannel

  constructor(options: StateChannelOptions) {
    this.#options = options
    this.#channel = new NotificationChannel({
      db: options.db,
      name: 'tollgate_news',
      onNotification: (payload) => this.#receive(payload),
      onFault: (error) => this.#report(error),
    })
  }

  /** Sends an event to all nodes, including this one. Call it after the commit of the new state. Never throws. */
  async publish(event: StateEvent): Promise<void> {
    const json = JSON.stringify(event)
    try {
      // Too long for a notification; screens of other nodes poll.
      if (Buffer.byteLength(json) > payloadBytesMax) this.#options.onEvent(event)
      else await this.#channel.send(json)
    } catch (error) {
      this.#report(error)
    }
  }

  start(): Promise<void> {
    return this.#channel.start()
  }

  stop(): void {
    this.#channel.stop()
  }

  #receive(payload: string): void {
    try {
      this.#options.onEvent(JSON.parse(payload) as StateEvent)
    } catch (error) {
      this.#report(error)
    }
  }

  #report(error: unknown): void {
    this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
  }
}
