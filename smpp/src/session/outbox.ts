// Gathers what is to be written and hands it to the transport in one piece: at the end of the chunk in hand,
// or when the turn is over. One write for each answer would cost eight times the throughput.
import { Writer } from '../wire/writer.ts'
import type { Clock } from './clock.ts'
import type { Transport } from './transport.ts'

// Beyond this a batch is written out early, so that one session never gathers much memory.
const gatherOctetsMax = 64 * 1024
const startOctets = 2 * 1024

/** Gathers the PDUs of one turn and gives them to the transport in one write. */
export class Outbox {
  readonly #clock: Clock
  readonly #transport: Transport
  readonly #afterFlush: () => void
  #writer: Writer | undefined
  #isDeferred = false
  /** While a chunk is being worked through, its end flushes. */
  isHeld = false

  constructor(clock: Clock, transport: Transport, afterFlush: () => void) {
    this.#clock = clock
    this.#transport = transport
    this.#afterFlush = afterFlush
  }

  /** Where to append; call `appended` after. */
  get writer(): Writer {
    this.#writer ??= new Writer(startOctets)
    return this.#writer
  }

  get gatheredOctets(): number {
    return this.#writer?.at ?? 0
  }

  appended(): void {
    if (this.gatheredOctets >= gatherOctetsMax) this.flush()
    else if (!this.isHeld && !this.#isDeferred) {
      this.#isDeferred = true
      this.#clock.defer(() => {
        this.#isDeferred = false
        this.flush()
      })
    }
  }

  flush(): void {
    const writer = this.#writer
    if (writer === undefined || writer.at === 0) return
    const mayReuse = this.#transport.write(writer.bytes.subarray(0, writer.at))
    if (mayReuse && writer.bytes.length <= gatherOctetsMax) writer.at = 0
    else this.#writer = undefined
    this.#afterFlush()
  }
}
