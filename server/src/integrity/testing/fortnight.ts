// Three weeks of everyday messages and a fortnight with attacks and honest look-alikes among them, in small: the same for
// the same seed. bench/integrity-traffic.ts has the large one, as counts; these are single messages.
import { seededChoices, type Random } from '../../../drills/random.ts'

export interface FortnightMessage {
  readonly client: number
  readonly number: number
  readonly sender: string
  /** Days from the first one. */
  readonly day: number
  /** Milliseconds of the day; no two messages of a client have the same. */
  readonly atMs: number
  /** The attack or look-alike; empty for everyday messages. */
  readonly label: string
}

export const historyDays = 20
export const fortnightDays = 14
const dayMs = 86_400_000
const hour = 3_600_000
const perDay = 90
const homeBlocks = 200

/** The number of each has the same place in the list of numbers. */
export const fortnightClients = [1, 2, 3, 7, 8, 9, 10]
/** Has its first number on the second day of the fortnight. */
export const newClient = 10
export const newClientDay = historyDays + 1

/**
 * Has the attacks that the whole day hides: of a batch of cards by a vote in the evening, of cards of one block by a crowd
 * after them, of made-up numbers of the night by their own messages in the day.
 */
export const hiddenClient = 7
const hiddenPlace = fortnightClients.indexOf(hiddenClient)

class Fortnight {
  readonly messages: FortnightMessage[] = []
  readonly random: Random
  readonly blocks: readonly string[]
  readonly #taken = new Set<string>()

  constructor(seed: number) {
    this.random = seededChoices(seed)
    this.blocks = Array.from({ length: homeBlocks }, () => `4477${this.digits(4)}`)
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => String(this.random.below(10))).join('')
  }

  /** A time of day between two hours. */
  between(from: number, to: number): number {
    return from * hour + this.random.below((to - from) * hour)
  }

  /** A subscriber at home. */
  person(): string {
    return this.random.pick(this.blocks) + this.digits(4)
  }

  people(count: number): string[] {
    return Array.from({ length: count }, () => this.person())
  }

  add(place: number, day: number, sender: string, at: number, label = ''): void {
    const client = fortnightClients[place] ?? 0
    let atMs = at % dayMs
    while (this.#taken.has(`${client} ${day} ${atMs}`)) atMs = (atMs + 1) % dayMs
    this.#taken.add(`${client} ${day} ${atMs}`)
    this.messages.push({ client, number: place + 1, sender, day, atMs, label })
  }
}

/** Each visit is one to three messages within some minutes, three in ten by people who were never here. */
function everyday(world: Fortnight): void {
  const { random } = world
  for (const [place, client] of fortnightClients.entries()) {
    const isNew = client === newClient
    const regulars = world.people(isNew ? perDay / 2 : perDay * 2)
    for (let day = isNew ? newClientDay : 0; day < historyDays + fortnightDays; day += 1)
      for (let left = random.between(perDay - 20, perDay + 20); left > 0;) {
        const sender = random.chance(0.3) ? world.person() : random.pick(regulars)
        const at = random.chance(0.06) ? world.between(0, 24) : world.between(8, 23)
        const count = random.pick([1, 1, 1, 2, 3])
        for (let turn = 0; turn < count; turn += 1)
          world.add(place, day, sender, at + random.below(4 * 60_000))
        left -= count
      }
  }
}

/** Days count from the first one of the fortnight. */
function onDays(from: number, count: number, work: (day: number) => void): void {
  for (let day = from; day < from + count; day += 1) work(historyDays + day)
}

/** Cards whose numbers follow each other, five at a time. */
function batches(world: Fortnight, count: number): string[] {
  return Array.from({ length: count }, () => ({
    hundred: world.random.pick(world.blocks) + world.digits(2),
    first: world.random.below(95),
  })).flatMap(({ hundred, first }) =>
    [0, 1, 2, 3, 4].map((card) => hundred + String(first + card).padStart(2, '0')),
  )
}

function attacks(world: Fortnight): void {
  const block = `4478${world.digits(4)}`
  const ofBlock = Array.from({ length: 25 }, () => block + world.digits(4))
  onDays(2, 3, (day) => {
    for (const sender of ofBlock)
      for (let turn = 0; turn < 10; turn += 1)
        world.add(0, day, sender, world.between(8, 22), 'cards of one block')
  })
  const inTurns = world.people(30)
  onDays(3, 5, (day) => {
    for (const sender of inTurns)
      for (let turn = 0; turn < 8; turn += 1)
        world.add(1, day, sender, world.between(7, 23), 'cards that take turns')
  })
  onDays(5, 4, (day) => {
    for (const sender of batches(world, 14))
      for (let turn = 0; turn < 2; turn += 1) world.add(2, day, sender, world.between(8, 23), 'batches')
  })
  onDays(6, 3, (day) => {
    for (const sender of world.people(220)) world.add(4, day, sender, world.between(1, 5), 'made up at night')
  })
}

function hiddenAttacks(world: Fortnight): void {
  const add = (day: number, sender: string, atMs: number, label: string) =>
    world.add(hiddenPlace, day, sender, atMs, label)
  onDays(8, 2, (day) => {
    for (const sender of world.people(200)) {
      add(day, sender, world.between(1, 5), 'hidden: night and day')
      if (world.random.chance(0.6)) add(day, sender, world.between(12, 18), 'hidden: night and day')
    }
  })
  onDays(10, 2, (day) => {
    for (const sender of batches(world, 14)) add(day, sender, world.between(8, 19), 'hidden: batch and vote')
    vote(world, day, 2_000)
  })
  onDays(12, 1, (day) => {
    const ten = `${world.random.pick(world.blocks)}77`
    for (let card = 10; card < 16; card += 1)
      for (let turn = 0; turn < 9; turn += 1)
        add(day, ten + String(card), world.between(0, 8), 'hidden: block and crowd')
    for (const sender of world.people(300))
      for (let turn = 0; turn < 3; turn += 1) add(day, sender, world.between(12, 23), 'crowd')
  })
}

function vote(world: Fortnight, day: number, people: number): void {
  for (const sender of world.people(people))
    world.add(hiddenPlace, day, sender, 20 * hour + world.random.below(24 * 60_000), 'vote')
}

function lookAlikes(world: Fortnight): void {
  onDays(7, 1, (day) => vote(world, day, 500))
  const office = world.random.pick(world.blocks)
  onDays(9, 2, (day) => {
    for (let place = 0; place < 60; place += 1)
      world.add(
        5,
        day,
        office + String(day * 100 + place).padStart(4, '0'),
        world.between(12, 13),
        'one company at lunch',
      )
  })
}

/** Its messages, in the order of their times. */
export function makeFortnight(seed: number): FortnightMessage[] {
  const world = new Fortnight(seed)
  everyday(world)
  attacks(world)
  hiddenAttacks(world)
  lookAlikes(world)
  return world.messages.toSorted((one, other) => one.day - other.day || one.atMs - other.atMs)
}

/** When a message comes, in days from the first one. */
type Arrival = (message: FortnightMessage) => number

/** The orders of arrival. History comes by time in each. */
export function ordersOf(seed: number) {
  const onTime: Arrival = ({ day, atMs }) => day + atMs / dayMs
  const random = seededChoices(seed)
  const isHistory = ({ day }: FortnightMessage) => day < historyDays
  return {
    byTime: onTime,
    shuffledWithinDays: (message: FortnightMessage) =>
      isHistory(message) ? onTime(message) : message.day + random.below(dayMs) / dayMs,
    lastThirdLate: (message: FortnightMessage) =>
      onTime(message) + (isHistory(message) || message.atMs < (dayMs / 3) * 2 ? 0 : 1),
  }
}
