// Six weeks of messages with attacks and honest look-alikes among them, as counts by sender and day. Everything that one may
// turn is in `standardTraffic`; `docs/integrity.md` says what the attacks do.
import { seededRandom } from '@tollgate/server/programs/demo/seeded-random.ts'

export const standardTraffic = {
  seed: 1,
  firstDay: '2026-01-05',
  historyDays: 28,
  measuredDays: 14,
  /** Of the measured days, attacks and look-alikes left out. */
  messages: 205_000,
  clients: 34,
  /** Where people live: blocks of ten thousand numbers. */
  homeBlocks: 2_400,
  countries: ['447', '4917', '337', '346'],
  /** People who come back, for each message of a day. */
  regularsPerMessage: 2.5,
  /** How many of the visits are by people who never came before. */
  newShare: 0.3,
  /** 1 for the attacks as they stand below; 0.5 has half of their senders. */
  strength: 1,
}
export type TrafficParameters = typeof standardTraffic

const minute = 60_000
const dayMs = 86_400_000
const slotMs = 600_000

export interface SenderDay {
  readonly client: number
  readonly number: number
  readonly day: number
  readonly sender: string
  /** The attack or look-alike; empty for everyday messages. */
  readonly label: string
  readonly isPumped: boolean
  count: number
  amountMicro: number
  readonly slots: Set<number>
  firstMs: number
  lastMs: number
}

export interface Client {
  readonly id: number
  readonly numbers: readonly { readonly id: number; readonly priceMicro: number }[]
  readonly country: string
  readonly perDay: number
  readonly peakHour: number
  /** The first day with a number. */
  readonly since: number
  readonly regulars: string[]
}

interface Message {
  readonly client: Client
  readonly sender: string
  readonly day: number
  readonly atMs: number
  readonly label?: string
  readonly isPumped?: boolean
  readonly number?: number
}

export interface Traffic {
  readonly clients: readonly Client[]
  readonly rows: readonly SenderDay[]
  /** Our own numbers, by id. */
  readonly numberOf: (id: number) => string
}

export class World {
  readonly parameters: TrafficParameters
  readonly random: () => number
  readonly clients: Client[] = []
  readonly #rows = new Map<string, SenderDay>()
  readonly #blocks: ReadonlyMap<string, readonly string[]>
  readonly #used = new Set<string>()

  constructor(parameters: TrafficParameters) {
    this.parameters = parameters
    this.random = seededRandom(parameters.seed)
    const { countries, homeBlocks } = parameters
    this.#blocks = new Map(
      countries.map((country) => [
        country,
        Array.from(
          { length: homeBlocks / countries.length },
          () => country + this.digits(8 - country.length),
        ),
      ]),
    )
  }

  get days(): number {
    return this.parameters.historyDays + this.parameters.measuredDays
  }

  get rows(): SenderDay[] {
    return [...this.#rows.values()]
  }

  int(below: number): number {
    return Math.floor(this.random() * below)
  }

  pick<T>(of: readonly T[]): T {
    return of[this.int(of.length)] as T
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => String(this.int(10))).join('')
  }

  /** So many senders of an attack, by its strength. */
  senders(count: number, make: () => string): string[] {
    return Array.from({ length: Math.max(1, Math.round(count * this.parameters.strength)) }, make)
  }

  homeBlock(country: string): string {
    return this.pick(this.#blocks.get(country) ?? [])
  }

  /** A subscriber at home whom nobody has met. */
  person(country: string): string {
    for (;;) {
      const sender = this.homeBlock(country) + this.digits(4)
      if (this.#used.has(sender)) continue
      this.#used.add(sender)
      return sender
    }
  }

  add({ client, sender, day, atMs, label = '', isPumped = false, number }: Message): void {
    const at = Math.min(dayMs - 1, Math.max(0, Math.floor(atMs)))
    const to = client.numbers[number ?? this.int(client.numbers.length)]
    if (to === undefined || day < client.since || day >= this.days) return
    const key = [client.id, day, to.id, sender, label].join(' ')
    let row = this.#rows.get(key)
    if (row === undefined) {
      const start = { client: client.id, number: to.id, day, sender, label, isPumped }
      row = { ...start, count: 0, amountMicro: 0, slots: new Set(), firstMs: at, lastMs: at }
      this.#rows.set(key, row)
    }
    row.count += 1
    row.amountMicro += to.priceMicro
    row.slots.add(Math.floor(at / slotMs))
    row.firstMs = Math.min(row.firstMs, at)
    row.lastMs = Math.max(row.lastMs, at)
  }

  /** A time of day around the client's busiest hour. */
  usualTime({ peakHour }: Pick<Client, 'peakHour'>): number {
    const spread = (this.random() + this.random() + this.random() - 1.5) * 12
    const isAnyTime = this.random() < 0.06
    return isAnyTime ? this.random() * dayMs : ((peakHour + spread + 24) % 24) * 3_600_000
  }

  addClient(since: number, perDay: number): Client {
    const id = this.clients.length + 1
    const numbers = Array.from({ length: 1 + this.int(4) }, (_, place) => ({
      id: id * 10 + place,
      priceMicro: 10_000 * (5 + this.int(30)),
    }))
    const country = this.pick(this.parameters.countries)
    const client = {
      id,
      numbers,
      country,
      perDay,
      peakHour: 12 + this.int(9),
      since,
      regulars: [] as string[],
    }
    for (let count = perDay * this.parameters.regularsPerMessage; count > 0; count -= 1)
      client.regulars.push(this.person(country))
    this.clients.push(client)
    return client
  }

  /** One visit of somebody: a few messages within minutes. Gives how many. */
  visit(
    client: Client,
    day: number,
    { atMs = this.usualTime(client), label = '', messagesMax = 4 } = {},
  ): number {
    const isNew = this.random() < this.parameters.newShare
    // Some regulars come often, most seldom.
    const regular = client.regulars[Math.floor(client.regulars.length * this.random() ** 1.6)]
    const sender = isNew || regular === undefined ? this.person(client.country) : regular
    const number = this.int(client.numbers.length)
    const count = 1 + Math.floor(messagesMax * this.random() ** 3)
    for (let place = 0; place < count; place += 1)
      this.add({ client, sender, day, atMs: atMs + place * 2 * minute * this.random(), label, number })
    return count
  }
}

/** The everyday messages of all clients. */
function everyday(world: World): void {
  const { clients, messages, measuredDays } = world.parameters
  const weights = Array.from({ length: clients }, (_, place) => 1 / (place + 2) ** 0.7)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  for (const weight of weights) world.addClient(0, Math.round((messages / measuredDays) * (weight / total)))
  for (let day = 0; day < world.days; day += 1)
    for (const client of world.clients) {
      const lively = (day % 7 > 4 ? 0.8 : 1.05) * (0.85 + 0.3 * world.random())
      for (let left = client.perDay * lively; left > 0;) left -= world.visit(client, day)
    }
}

/** Made by the parameters; the same for the same seed. */
export function makeTraffic(
  parameters: TrafficParameters,
  extras: readonly ((world: World) => void)[],
): Traffic {
  const world = new World(parameters)
  everyday(world)
  for (const extra of extras) extra(world)
  const { clients, rows } = world
  return { clients, rows, numberOf: (id) => `90${String(id).padStart(8, '0')}` }
}
