import type { ServerTest } from '@tollgate/contract/gateway.ts'

/** The steps of a connection test so far, each with the time since the one before. */
export class TestSteps {
  readonly list: ServerTest['steps'] = []
  #sinceMs = performance.now()

  add(step: string, detail: string, isOk = true): void {
    const nowMs = performance.now()
    this.list.push({ step, detail, isOk, durationMs: Math.round((nowMs - this.#sinceMs) * 10) / 10 })
    this.#sinceMs = nowMs
  }
}
