// A source that keeps a number of messages unanswered until it is stopped. For tests.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ingest } from '../create-ingest.ts'
import type { Answers } from './traffic.ts'
import { messageTo } from './traffic.ts'

export interface Stream {
  /** How many messages were accepted. */
  readonly sent: number
  /** Stops sending and waits for every answer. */
  stop(): Promise<void>
}

/** Sends to `numbers` in turn, at most `unansweredMax` unanswered. */
export function startStream(
  ingest: Ingest,
  numbers: readonly string[],
  answers: Answers,
  unansweredMax = 200,
): Stream {
  let sent = 0
  let isOn = true
  const send = async () => {
    while (isOn) {
      while (sent - answers.answered < unansweredMax) {
        const digits = numbers[sent % numbers.length] ?? ''
        if (ingest.accept(messageTo(digits, answers)) === 'queued') sent += 1
        else break
      }
      await sleep(1)
    }
  }
  const sending = send()
  return {
    get sent() {
      return sent
    },
    async stop() {
      isOn = false
      await sending
      await answers.until(sent)
    },
  }
}
