// Collects PDUs and gives them to the transport in one write: at the end of the current chunk, or of the current turn of
// the event loop. With one write for each answer the throughput is an eighth.
import { Writer } from '../wire/writer.ts'
import type { SessionClock } from './clock.ts'
import type { Transport } from './transport.ts'

// Beyond this size the buffer is written early, so that one session never keeps much memory.
const bufferedOctetsMax = 64 * 1024
const startOctets = 2 * 1024

/** Collects the PDUs of one turn and gives them to the transport in one write. */
export class WriteBuffer {
  readonly #clock: SessionClock
  readonly #transport: Transport
  readonly #afterFlush: () => void
  #writer: Writer | undefined
  #isDeferred = false
  /** True while a chunk is being processed: its end flushes. */
  isHeld = false

  constructor(clock: SessionClock, transport: Transport, afterFlush: () => void) {
    this.#clock = clock
    this.#transport = transport
    this.#afterFlush = afterFlush
  }

  /** Where to append; call `appended` after. */
  get writer(): Writer {
    this.#writer ??= new Writer(startOctets)
    return this.#writer
  }

  get bufferedOctets(): number {
    return this.#writer?.at ?? 0
  }

  appended(): void {
    if (this.bufferedOctets >= bufferedOctetsMax) this.flush()
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
    if (mayReuse && writer.bytes.length <= bufferedOctetsMax) writer.at = 0
    else this.#writer = undefined
    this.#afterFlush()
  }
}
