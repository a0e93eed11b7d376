// A table of cases for each rule: attacks, and honest days that look like them.
import { sql } from 'kysely'
import { englishOf, type Sentence } from '@tollgate/contract/sentences.ts'
import { expect, test } from 'vitest'
import { rows } from '../../platform/db.ts'
import {
  daysAgo,
  newClient,
  openJudgeEnvironment,
  senderIn,
  type JudgeEnvironment,
} from '../testing/judge-environment.ts'

type Day = (environment: JudgeEnvironment) => Promise<unknown>

const times = <T>(count: number, make: (place: number) => T): T[] =>
  Array.from({ length: count }, (_, place) => make(place))
/** One sender in each of so many blocks. */
const apart = (count: number, from = 0) =>
  times(count, (place) => senderIn(from + place, 1_000 + 37 * (place % 200)))
/** So many senders of one block, no two side by side. */
const sameBlock = (count: number) => times(count, (place) => senderIn(7, 100 * place))
/** Ten minutes of different hours, from eight in the morning. */
const hours = (count: number) => times(count, (place) => 48 + 7 * place)
const evening = [110]
const night = [12]
/** Spread over eight hours of the night, in the quiet hours of the client. */
const atNight = async ({ write }: JudgeEnvironment, senders: readonly string[], day = daysAgo(0)) => {
  for (const hour of times(8, (place) => place))
    await write(
      senders.filter((_, place) => place % 8 === hour),
      { slots: [6 * hour], day },
    )
}
const cases: readonly (readonly [rule: string, what: string, day: Day, found: readonly string[]])[] = [
  [
    'block',
    'twelve cards of one block',
    ({ write }) => write(sameBlock(12), { slots: [60, 61, 62, 63] }),
    ['block hold'],
  ],
  ['block', 'half as many', ({ write }) => write(sameBlock(6), { slots: [60, 61, 62, 63] }), ['block flag']],
  [
    'block',
    'as many people of different blocks',
    ({ write }) => write(apart(12), { slots: [60, 61, 62, 63] }),
    [],
  ],
  [
    'block',
    'a block that always writes so much',
    async ({ write }) => {
      await write(sameBlock(12), { slots: [60, 61, 62, 63], day: daysAgo(9) })
      await write(sameBlock(12), { slots: [60, 61, 62, 63] })
    },
    [],
  ],
  [
    'block',
    'one who chats all day, and three who live near',
    async ({ write }) => {
      await write([senderIn(7, 1)], { slots: times(90, (place) => 50 + place) })
      await write([senderIn(7, 900), senderIn(7, 1_800), senderIn(7, 2_700)])
    },
    [],
  ],
  [
    'block',
    'a vote: each block of a country has as many',
    ({ write }) => write(times(600, (place) => senderIn(place % 10, 160 * Math.floor(place / 10)))),
    [],
  ],
  [
    'paced',
    'eight cards that take turns over the day',
    ({ write }) => write(apart(8), { slots: hours(6) }),
    ['paced hold'],
  ],
  ['paced', 'four of them', ({ write }) => write(apart(4), { slots: hours(6) }), ['paced flag']],
  [
    'paced',
    'a vote: many messages in an hour',
    ({ write }) => write(apart(90), { slots: [120, 121, 122, 123, 124, 125] }),
    [],
  ],
  [
    'paced',
    'people who have chatted so for weeks',
    async ({ write }) => {
      await write(apart(8), { slots: hours(6), day: daysAgo(9) })
      await write(apart(8), { slots: hours(6) })
    },
    [],
  ],
  [
    'paced',
    'cards that began within the guard band',
    async ({ write }) => {
      await write(apart(8), { slots: hours(6), day: daysAgo(6) })
      await write(apart(8), { slots: hours(6) })
    },
    ['paced hold'],
  ],
  [
    'neighbours',
    'new cards in pairs',
    ({ write }) => write(times(50, (place) => senderIn(Math.floor(place / 2), 500 + (place % 2)))),
    ['neighbours hold'],
  ],
  [
    'neighbours',
    'half as many',
    ({ write }) => write(times(24, (place) => senderIn(Math.floor(place / 2), 500 + (place % 2)))),
    ['neighbours flag'],
  ],
  [
    'neighbours',
    'a company at lunch, once each within an hour, where others live too',
    async ({ write }) => {
      await write([senderIn(7, 9_000)], { day: daysAgo(12) })
      await write([senderIn(7, 9_000), senderIn(7, 9_100), senderIn(7, 9_200)], { slots: [60, 120] })
      await write(times(60, (place) => senderIn(7, 500 + place)))
    },
    [],
  ],
  [
    'neighbours',
    'the same company again two days later',
    async ({ write }) => {
      const people = times(60, (place) => senderIn(7, 500 + place))
      await write(people, { day: daysAgo(2) })
      await write(people)
    },
    ['block hold', 'neighbours hold'],
  ],
  [
    'neighbours',
    'as many who write twice',
    ({ write }) =>
      write(
        times(60, (place) => senderIn(7, 500 + place)),
        { messages: 2 },
      ),
    ['block hold', 'neighbours hold'],
  ],
  [
    'neighbours',
    'as many over a day',
    async ({ write }) => {
      await write(
        times(30, (place) => senderIn(7, 500 + 2 * place)),
        { slots: [60] },
      )
      await write(times(30, (place) => senderIn(7, 501 + 2 * place)))
    },
    ['block hold', 'neighbours hold'],
  ],
  [
    'neighbours',
    'a crowd so dense that everybody has a neighbour',
    ({ write }) => write(times(4_000, (place) => senderIn(place % 10, 25 * Math.floor(place / 10)))),
    [],
  ],
  [
    'neighbours',
    'a company whose people have written before',
    async ({ write }) => {
      const people = times(50, (place) => senderIn(Math.floor(place / 2), 500 + (place % 2)))
      await write(people, { day: daysAgo(20) })
      await write(people)
    },
    [],
  ],
  [
    'made_up',
    'strangers to one number at night',
    (environment) => atNight(environment, apart(150)),
    ['made_up hold'],
  ],
  ['made_up', 'half as many', (environment) => atNight(environment, apart(80)), ['made_up flag']],
  ['made_up', 'as many new people in the evening', ({ write }) => write(apart(150), { slots: evening }), []],
  [
    'made_up',
    'new people who chat into the night',
    ({ write }) => write(apart(150), { slots: [...night, 140] }),
    [],
  ],
  [
    'made_up',
    'strangers at night behind a lively day',
    async (environment) => {
      await environment.write(apart(900), { day: daysAgo(10), slots: evening })
      await environment.write(apart(900), { slots: evening })
      await atNight(
        environment,
        times(150, (place) => senderIn(place, 9_000)),
      )
    },
    ['made_up hold'],
  ],
  [
    'made_up',
    'a vote in quiet hours',
    async (environment) => {
      await atNight(environment, apart(24, 700))
      await environment.write(apart(600), { slots: night })
    },
    [],
  ],
  [
    'made_up',
    'strangers from blocks that nobody knows',
    async ({ db, write }) => {
      await sql`update sender_blocks set first_day = ${daysAgo(0)}::date where block < '44770150'`.execute(db)
      await write(apart(150), { slots: evening })
    },
    ['made_up hold'],
  ],
  [
    'made_up',
    'a number that is always so busy at night',
    async (environment) => {
      await atNight(environment, apart(150, 500), daysAgo(8))
      await atNight(environment, apart(150))
    },
    [],
  ],
  [
    'clockwork',
    'thirty who begin at the same minute on two days',
    async ({ write }) => {
      for (const day of [daysAgo(1), daysAgo(0)]) await write(apart(30), { day, minute: 3 })
    },
    ['clockwork hold'],
  ],
  [
    'clockwork',
    'thirty who come back at another time',
    async ({ write }) => {
      await write(apart(30), { day: daysAgo(1), slots: [109], minute: 3 })
      await write(apart(30), { minute: 7 })
    },
    [],
  ],
  [
    'clockwork',
    'machines that have reported for weeks',
    async ({ write }) => {
      for (const day of [daysAgo(12), daysAgo(1), daysAgo(0)]) await write(apart(30), { day })
    },
    [],
  ],
  [
    'across',
    'one card at five clients',
    async ({ write }) => {
      for (const client of [1, 2, 3, 4, 5]) await write(apart(1), { client, messages: 2 })
    },
    ['across hold'],
  ],
  [
    'across',
    'a person with four services',
    async ({ write }) => {
      for (const client of [1, 2, 3, 4]) await write(apart(1), { client, messages: 5 })
    },
    [],
  ],
  ['list', 'a number of ours', ({ write }) => write(['909000000002']), ['list hold']],
  [
    'list',
    'a sender on the hot list',
    async ({ listSender, write }) => {
      await listSender({ sender: senderIn(1, 5) })
      await write([senderIn(1, 5), senderIn(1, 6)])
    },
    ['list hold'],
  ],
  [
    'list',
    'a sender of a block on the hot list, on its last day',
    async ({ listSender, write }) => {
      await listSender({ sender: '44770001', isBlock: true, untilDay: daysAgo(0) })
      await write([senderIn(1, 6)])
    },
    ['list hold'],
  ],
  [
    'list',
    'one whose last day was yesterday, and one that was taken off',
    async ({ listSender, write }) => {
      await listSender({ sender: senderIn(1, 5), untilDay: daysAgo(1) })
      await listSender({ sender: senderIn(1, 6), isRemoved: true })
      await write([senderIn(1, 5), senderIn(1, 6)])
    },
    [],
  ],
  [
    'list',
    'a sender whose name is the digits of a block, and a longer number',
    async ({ listSender, write }) => {
      await listSender({ sender: '44770001', isBlock: true })
      await listSender({ sender: senderIn(1, 5) })
      await write(['44770001', `${senderIn(1, 5)}7`])
    },
    [],
  ],
]

/** How the sentence of a rule begins; its values are those of the day. */
const sentences: Readonly<Record<string, RegExp>> = {
  across: /^Senders that wrote to 5 or more clients of this gateway on .+: \d+\.$/,
  block: /^\d+ numbers that begin with 44770007 wrote on .+, together in \d+ spans of ten minutes\. /,
  clockwork:
    /^30 of 30 new senders who wrote on .+ and the day before began at the same minute on both days\.$/,
  list: /^(Numbers of this gateway that were senders|.+ hot list)/,
  made_up: /^\d+ senders (to|.+ wrote to) \d+ on /,
  neighbours: /^Of \d+ new senders on .+, \d+ differ from another one in the last two digits only; /,
  paced: /^\d+ senders wrote in \d+ or more different spans of ten minutes on .+ and had never done so; /,
}

test.each(cases)('%s: %s', async (_rule, _what, day, found) => {
  const environment = await openJudgeEnvironment()
  await day(environment)
  expect(await environment.judge()).toEqual(found)
  const said = await rows<{ rule: string; words: Sentence[] }>(
    environment.db,
    sql`select rule, words from integrity_cases`,
  )
  for (const { rule, words } of said) expect(englishOf(words)).toMatch(sentences[rule] ?? /^$/)
})

test.each([
  ['few senders are held, each with enough messages', 20, 15, ['newcomer hold']],
  ['a new service with many people is not', 150, 2, []],
  ['too few messages say nothing', 8, 15, []],
])('newcomer: %s', async (_what, senders, messages, found) => {
  const { write, judge } = await openJudgeEnvironment()
  await write(apart(senders), { client: newClient, messages })
  expect(await judge(newClient)).toEqual(found)
})

test('newcomer: the people among few senders are not named', async () => {
  const { write, judge, members } = await openJudgeEnvironment()
  const cards = apart(15)
  await write(cards, { client: newClient, messages: 40 })
  await write(apart(30, 100), { client: newClient, messages: 9 })
  expect(await judge(newClient)).toEqual(['newcomer hold'])
  expect(await members('newcomer')).toEqual(cards)
})

test('a rule names the senders that it means, and not who only lives near them', async () => {
  const { write, judge, members } = await openJudgeEnvironment()
  const cards = sameBlock(12)
  const neighbour = senderIn(7, 9_999)
  await write([neighbour], { day: daysAgo(15) })
  await write(cards, { slots: [60, 61, 62, 63] })
  await write([neighbour])
  expect(await judge()).toEqual(['block hold'])
  expect(await members('block')).toEqual(cards)
})

test('a number keeps its history when it changes hands', async () => {
  const { db, write, judge } = await openJudgeEnvironment()
  await sql`update number_holders set held_to = ${daysAgo(2)} where number_id = 2`.execute(db)
  await sql`insert into number_holders (number_id, user_id, held_from) values (2, 1, ${daysAgo(2)})`.execute(
    db,
  )
  await write(apart(8), { client: 2, number: 2, slots: hours(6), day: daysAgo(12) })
  await write(apart(8), { number: 2, slots: hours(6) })
  expect(await judge()).toEqual([])
})
