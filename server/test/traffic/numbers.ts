// Numbers and rates over HTTP on a database of their own, with people to call them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { createTestAudit, createTestUsers } from '../people/audit.ts'
import { readRangeEarnings } from '../../src/books/index.ts'
import { refuseOwnAccount } from '../../src/billing/index.ts'
import { createNumbers, type NumbersDeps, type RequestEvent } from '../../src/numbers/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createTableReader } from '../../src/files/tables/table-reader.ts'
import { createRates, ownPrices } from '../../src/rates/index.ts'
import { openTestApi, type TestAnswer, type TestApi } from '../http/api.ts'
import { idFrom, openTestDatabase } from '../environment/database.ts'

export interface TestPerson {
  readonly id: number
  readonly username: string
  /** Calls the API as this person. */
  get(path: string): Promise<TestAnswer>
  post(path: string, body: unknown): Promise<TestAnswer>
  put(path: string, body?: unknown): Promise<TestAnswer>
  delete(path: string): Promise<TestAnswer>
  upload(path: string, fileName: string, content: Buffer): Promise<TestAnswer>
}

type StockRules = Pick<NumbersDeps, 'stockOffer' | 'stockTakesPerDay'>

export async function openTestNumbers(stockRules: StockRules = {}) {
  const { db, pool } = await openTestDatabase({ maxConnections: 20 })
  const audit = createTestAudit({ db, clock: systemClock })
  const requestEvents: RequestEvent[] = []
  const { settings } = createTestUsers({ db, clock: systemClock, audit })
  const numbers = createNumbers({
    db,
    audit,
    tables: createTableReader(),
    prices: ownPrices,
    rangeEarnings: readRangeEarnings,
    refuseOwnAccount,
    publish: (event) => requestEvents.push(event),
    ...stockRules,
  })
  const rates = createRates({ db, audit, settings, refuseOwnAccount })
  const routes = [...numbers.routes, ...rates.routes]
  const api = await openTestApi(routes)
  let count = 0
  return {
    db,
    pool,
    api,
    routes,
    rates,
    /** The events of number requests that were published. */
    requestEvents,
    person: async (role: Role, status = 'active'): Promise<TestPerson> => {
      count += 1
      const username = `${role}${count}`
      const id = Number(
        await idFrom(db)`insert into users (username, email, first_name, last_name, password_hash, role,
              status)
            values (${username}, ${`${username}@example.com`}, 'First', 'Last', '', ${role}, ${status}) returning id`,
      )
      const call: TestApi['call'] = async (...input) => {
        const answer = await api.call(...input)
        if (answer.status !== 429 || answer.headers['retry-after'] !== '1') return answer
        // A test made more calls in a second than a person may make.
        await sleep(1_000)
        return api.call(...input)
      }
      const cookie = api.signIn({ userId: id, username, role, authenticatedAt: new Date() })
      return {
        id,
        username,
        get: (path) => call('GET', path, { cookie }),
        post: (path, body) => call('POST', path, { cookie, body }),
        put: (path, body = {}) => call('PUT', path, { cookie, body }),
        delete: (path) => call('DELETE', path, { cookie }),
        upload: (path, fileName, content) => call('POST', path, { cookie, raw: formOf(fileName, content) }),
      }
    },
  }
}

/** A file as a browser's form sends it. */
function formOf(fileName: string, content: Buffer): { contentType: string; payload: Buffer } {
  const boundary = 'tollgate-test-boundary'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    payload: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
