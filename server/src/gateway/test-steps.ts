import type { ServerTest } from '@tollgate/contract/gateway/gateway.ts'
import { detailed, type Words } from '@tollgate/contract/sentences.ts'

/** The steps of a connection test so far, each with the time since the one before. */
export class TestSteps {
  readonly list: ServerTest['steps'] = []
  #sinceMs = performance.now()

  add(step: string, words: Words, isOk = true): void {
    const nowMs = performance.now()
    this.list.push({
      step,
      ...detailed(words),
      isOk,
      durationMs: Math.round((nowMs - this.#sinceMs) * 10) / 10,
    })
    this.#sinceMs = nowMs
  }
}
