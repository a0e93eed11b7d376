// A separate process that stores messages for ever and prints each acknowledged id. A test kills it.
import { writeSync } from 'node:fs'
import { sql } from 'kysely'
import { openDatabase, rows } from '../../platform/db.ts'
import { startStream } from './stream.ts'
import { Answers, makeIngest } from './traffic.ts'

const { db } = openDatabase({ address: { host: process.argv[2] ?? '', database: 'postgres' } })
const numbers = (await rows<{ number: string }>(db, sql`select number from numbers`)).map(
  ({ number }) => number,
)

class PrintedAnswers extends Answers {
  #lines = ''

  override committed(...answer: Parameters<Answers['committed']>): void {
    this.#lines += `${answer[1]}\n`
    super.committed(...answer)
  }

  override settled(): void {
    writeSync(1, this.#lines)
    this.#lines = ''
  }
}

startStream(await makeIngest(db), numbers, new PrintedAnswers())
