// Whoever is no staff reads the own side of the business alone: a walk over every GET route of the API.
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { addressOf } from '../test/money/billing.ts'
import { readParquet } from '../test/files/parquet.ts'
import { linesOf } from '../test/files/pdf-texts.ts'
import { fromTheStart, ownReadings, pathOf } from '../test/http/own-readings.ts'
import { foreignFigures, openTwoAccounts, type SideAnswer } from '../test/http/two-accounts.ts'

const environment = await openTwoAccounts()
const { numbers, sent, people } = environment
const { digits } = numbers

const { gets, readings } = await ownReadings(environment)

/** Of everybody and everything but Alpha. What Alpha sent to Charlie names Charlie's number, and Alpha knows that. */
const foreign = [
  // Of people.
  'bravo',
  'charlie',
  'ada-admin',
  'eve-admin',
  'sam-support',
  'note of staff',
  'what staff think',
  // Of links and nodes.
  'west-upstream',
  'west.upstream',
  'westid',
  'north-provider',
  'north.provider',
  'north-key',
  'node-nine',
  `${hostname()}:${process.pid}`,
  '192.0.2.55',
  // Of what Bravo has.
  digits.bravo,
  digits.bravoPaid,
  '447700908882',
  '4915199999999',
  addressOf(people.bravo.id),
  'b'.repeat(64),
  sent.ofBravo[0] ?? '',
  sent.ofBravo.at(-1) ?? '',
]
/** The role test sees of numbers the last four digits alone. */
const masked = [
  digits.alpha,
  digits.alphaPaid,
  digits.charlie,
  '4915100000001',
  '4915112345678',
  '447700908881',
]

const figures = foreignFigures.map((figure) => String(figure))
const figurePattern = new RegExp(`(?<![\\w.])(${figures.join('|').replaceAll('.', '\\.')})(?!\\w)`)

async function textOf({ type, content }: SideAnswer): Promise<string> {
  if (type.includes('pdf')) return linesOf(content).join('\n')
  if (!type.includes('parquet')) return content.toString()
  return JSON.stringify(await readParquet(content), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

/** What of the rest of the business stands in an answer. */
async function leaksIn(answer: SideAnswer, role: 'user' | 'test', name: string): Promise<string[]> {
  const text = await textOf(answer)
  const lower = text.toLowerCase()
  // The masked role is asked for its own messages with the same numbers hidden.
  const forbidden = [
    ...foreign,
    ...(role === 'test' ? masked : name === 'findOwnMessages' ? [] : [digits.charlie]),
  ]
  const figure = figurePattern.exec(text.replace(/(?<=\d),(?=\d{3}\b)/g, ''))
  return [
    ...forbidden.filter((word) => lower.includes(word.toLowerCase())),
    ...(figure === null ? [] : [figure[0]]),
  ]
}

test('the walk knows every route that it names, and there is something to be read', async () => {
  expect(gets.length).toBeGreaterThan(150)
  expect(Object.keys(readings).filter((name) => gets.every(([other]) => other !== name))).toEqual([])
  // Staff see what Alpha must not: the words are those of the answers.
  const staff = await environment.get('sam', 'support', `/api/records?client=bravo`)
  for (const word of ['bravo', 'west-upstream', digits.bravo])
    expect(staff.content.toString()).toContain(word)
  // And what Alpha may read is there to be read, in streams too.
  for (const path of [
    '/api/records',
    `/api/events/poll?cursor=${fromTheStart}`,
    `/api/events?lastEventId=${fromTheStart}`,
  ])
    expect((await environment.get('alpha', 'user', path)).content.toString()).toContain(digits.alpha)
  const status = await environment.get('ada', 'admin', '/api/smpp/status')
  expect(status.content.toString()).toMatch(figurePattern)
})

test.each(['user', 'test'] as const)(
  'no GET route tells the role %s anything of other accounts, of staff, of links or of the whole',
  async (role) => {
    for (const [name, route] of gets) {
      const isAllowed = route.access === 'public' || isPermitted(role, route.access)
      for (const reading of readings[name] ?? [{}]) {
        const path = pathOf(route, reading)
        const answer = await environment.get('alpha', role, path)
        // A new route that needs parameters gets its parameters above.
        expect.soft([name, path, answer.status]).toEqual([name, path, isAllowed ? 200 : 403])
        expect.soft([name, path, await leaksIn(answer, role, name)]).toEqual([name, path, []])
        for (const params of isAllowed ? (reading.others ?? []) : []) {
          const foreignPath = pathOf(route, { ...reading, params })
          const refused = await environment.get('alpha', role, foreignPath)
          expect.soft([name, foreignPath, refused.status]).toEqual([name, foreignPath, 404])
          expect
            .soft([name, foreignPath, await leaksIn(refused, role, name)])
            .toEqual([name, foreignPath, []])
        }
      }
    }
  },
)
