// What many held messages cost a close and the pages that name them: no more than none. 100,000; a million, in some minutes:
// HELD_MESSAGES=1000000 npx vitest run --project='long measured' server/src/integrity/apply/close-size.measured.test.ts
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { rows } from '../../platform/db.ts'
import { newCase } from '../testing/new-case.ts'
import { processorFactor } from '../../../test/environment/processor-factor.ts'

const messages = Number(process.env['HELD_MESSAGES'] ?? 100_000)
const pageMsMax = 30
// A close of one client takes some 50 ms, and a busy machine may be off by this.
const noiseMs = 15
const rounds = 3
const environment = await openTestBilling()
const { call, closeCycle, db, integrity, traffic } = environment

const middle = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now()
  await work()
  return performance.now() - startedAtMs
}

/** The middle of five answers of each page, after one that is not counted, in milliseconds. */
async function pageTimes(paths: readonly (readonly [person: number, path: string])[]) {
  const times: Record<string, number> = {}
  for (const [person, path] of paths) {
    const all: number[] = []
    for (let nth = 0; nth < 6; nth += 1)
      all.push(
        await msOf(async () => expect([path, (await call(person, 'GET', path)).status]).toEqual([path, 200])),
      )
    times[path] = middle(all.slice(1))
  }
  return times
}

/** Puts what is held and is of no case into one. */
async function ofOneCase(): Promise<void> {
  const { id } = await newCase(environment, { client: 1, senders: 1 })
  await integrity.holdMessages()
  await sql`update holds set case_id = ${id} where case_id is null`.execute(db)
  await sql`update integrity_cases set (held_count, held_micro) = (
    select sum(record_count), sum(amount_micro) from holds where case_id = ${id}) where id = ${id}`.execute(
    db,
  )
}

const pagesOfOpen = [
  [1, '/api/billing/periods'],
  [1, '/api/billing/account'],
  [1, '/api/billing/account/movements'],
  [4, '/api/billing/summary'],
  [4, '/api/billing/all-periods'],
  [4, '/api/holds'],
  [4, '/api/integrity/cases?state=open'],
] as const

/** Tells the figures and checks them. `drawn`: open lines and PDF without held messages, then with them. */
function expectBounded(
  closes: Record<'none' | 'held', number[]>,
  drawn: readonly number[],
  pages: Record<string, number>,
): void {
  const [none, held] = [middle(closes.none), middle(closes.held)]
  process.stdout.write(
    `close ${none.toFixed(0)} ms with none held, ${held.toFixed(0)} ms with ${messages}; open lines ${drawn[0]?.toFixed(0)} and ${drawn[2]?.toFixed(0)} ms, PDF ${drawn[1]?.toFixed(0)} and ${drawn[3]?.toFixed(0)} ms; pages ${JSON.stringify(
      Object.fromEntries(Object.entries(pages).map(([path, ms]) => [path, Math.round(ms)])),
    )}\n`,
  )
  // A slower processor than that of the machine that limits were set on may take as many times longer.
  const slowness = processorFactor()
  expect(held).toBeLessThan(none * 1.1 + noiseMs * slowness)
  const [lines = 0, pdf = 0, heldLines = 0, heldPdf = 0] = drawn
  const ownMax = pageMsMax * slowness
  expect(Math.max(lines, heldLines)).toBeLessThan(ownMax)
  expect(heldPdf).toBeLessThan(pdf * 1.2 + 4 * noiseMs * slowness)
  expect(Object.entries(pages).filter(([, ms]) => ms > ownMax)).toEqual([])
}

test(
  `with ${messages} held messages a close takes at most a tenth longer, and no page more than ${pageMsMax} ms`,
  { timeout: 1_200_000 },
  async () => {
    await sql`insert into settings (key, value) values ('second_person_above', '900000000')`.execute(db)
    const closes: Record<'none' | 'held', number[]> = { none: [], held: [] }
    const pages: Record<string, number> = {}
    // What adds up or draws a whole period: its open lines and its PDF, without and with held messages.
    const drawn: number[] = []
    for (let round = 1; round <= rounds; round += 1)
      for (const kind of ['none', 'held'] as const) {
        await traffic({
          client: 1,
          number: 1,
          count: messages,
          amountMicro: 10_000,
          isHeld: kind === 'held',
        })
        if (kind === 'held') await ofOneCase()
        await traffic({ client: 1, number: 2, count: 1_000, amountMicro: 10_000 })
        await sql`analyze`.execute(db)
        const [open] = await rows<{ id: number }>(db, sql`select id from cycles where closed_at is null`)
        const period = `/api/billing/periods/${open?.id}-1`
        const isLast = round === rounds
        if (isLast) drawn.push((await pageTimes([[1, `${period}/lines`]]))[`${period}/lines`] ?? 0)
        if (isLast && kind === 'held') Object.assign(pages, await pageTimes([...pagesOfOpen, [1, period]]))
        closes[kind].push(await msOf(closeCycle))
        if (isLast)
          drawn.push((await pageTimes([[1, `${period}/statement.pdf`]]))[`${period}/statement.pdf`] ?? 0)
        if (isLast && kind === 'held') Object.assign(pages, await pageTimes([[1, `${period}/lines`]]))
      }
    expectBounded(closes, drawn, pages)
  },
)
